import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Table } from '../measure/result.ts'
import { type Contender, type Measurement, measure, type Plan } from '../measure/rounds.ts'
import { spread } from '../measure/stats.ts'
import { figure, spreadText } from '../measure/text.ts'
import { Load } from './load.ts'
import { pinned } from './pin.ts'
import type { Processor, Ready, Stored } from './serve.ts'

/** Connections that are kept alive, each of which sends its next request when it has its answer. */
export const CONNECTIONS = 64

/** What was found of the apps of one server process. */
export interface Measured {
  readonly measurement: Measurement
  /** Processor time of the server for one request in microseconds, by round. */
  readonly cpu: ReadonlyMap<string, readonly number[]>
  readonly names: readonly string[]
}

/** A process with one app for each contender. */
export interface ServerProcess {
  readonly script: URL
  readonly words: readonly string[]
  /** The secrets that an app is called with. */
  readonly secretsFor: (name: string, ready: Ready) => readonly string[]
  /** The apps whose uses the server counts. */
  readonly counted: readonly string[]
}

/** Measures every app of a server process. */
export async function measureServer(process: ServerProcess, plan: Plan): Promise<Measured> {
  const { secretsFor, counted } = process
  const server = startServer(process)
  const ready = await answerOf<Ready>(server)
  const cpu = new Map<string, number[]>()
  const loads: Load[] = []
  const contenders: Contender[] = []
  let sent = 0
  for (const [name, port] of Object.entries(ready.ports)) {
    const secrets = secretsFor(name, ready)
    const load = await Load.open(port, { secrets, connections: CONNECTIONS })
    loads.push(load)
    const micros: number[] = []
    cpu.set(name, micros)
    const onSlice = (count: number, spent: number) => {
      micros.push(spent / count)
      if (counted.includes(name)) sent += count
    }
    contenders.push(contender(name, { load, server, onSlice }))
  }
  const measurement = await measure(contenders, plan)
  const { uses } = await ask<Stored>(server, 'uses')
  if (uses !== sent) throw new Error(`miftah: ${sent} requests, ${uses} uses stored`)
  for (const load of loads) load.close()
  server.disconnect()
  return { measurement, cpu, names: Object.keys(ready.ports) }
}

interface Way {
  readonly load: Load
  readonly server: ChildProcess
  /** Told after each slice: requests sent and microseconds of the server's processor. */
  readonly onSlice: (sent: number, micros: number) => void
}

function contender(name: string, { load, server, onSlice }: Way): Contender {
  let [wanted, before] = [0, 0]
  const processor = async () => (await ask<Processor>(server, 'processor')).micros
  return {
    name,
    prepare: async (count) => {
      wanted = count
      before = await processor()
    },
    async run() {
      await load.send(wanted)
      return wanted
    },
    finish: async () => onSlice(wanted, (await processor()) - before),
  }
}

function startServer({ script, words }: ServerProcess): ChildProcess {
  const program = [process.execPath, ...process.execArgv, fileURLToPath(script)]
  const [command, ...rest] = pinned(0, [...program, ...words])
  return spawn(command ?? '', rest, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
}

async function answerOf<T>(server: ChildProcess): Promise<T> {
  const [answer] = await once(server, 'message')
  return answer
}

function ask<T>(server: ChildProcess, question: string): Promise<T> {
  const answer = answerOf<T>(server)
  server.send(question)
  return answer
}

/** Requests a second of each app, also as multiples of some of them. */
export function serverTable(
  title: string,
  { measurement, cpu, names }: Measured,
  bases: readonly string[],
): Table {
  return {
    title: `${title}, ${CONNECTIONS} connections`,
    head: [
      'guard',
      'requests a second',
      ...bases.map((base) => `times ${base}`),
      'server µs a request',
    ],
    rows: names.map((name) => [
      name,
      spreadText(measurement.rate(name)),
      ...bases.map((base) => spreadText(measurement.ratio(base, name))),
      figure(spread((cpu.get(name) ?? []).slice(-measurement.rounds)).median),
    ]),
  }
}
