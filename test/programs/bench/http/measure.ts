import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Table } from '../measure/result.ts'
import { type Contender, type Measurement, measure, type Plan } from '../measure/rounds.ts'
import { quantile, spread } from '../measure/stats.ts'
import { figure, spreadText } from '../measure/text.ts'
import { Load } from './load.ts'
import { pinned } from './pin.ts'
import type { Processor, Ready, Stored } from './serve.ts'

/** Connections that are kept alive, each of which sends its next request when it has its answer. */
export const CONNECTIONS = 64

/** What was found of some apps. */
export interface Measured {
  readonly measurement: Measurement
  /** Processor time of the server for one request in microseconds, by round. */
  readonly cpu: ReadonlyMap<string, readonly number[]>
  /** The 99th percentile of a request in milliseconds, by round. */
  readonly p99: ReadonlyMap<string, readonly number[]>
  readonly names: readonly string[]
}

/**
 * Apps, each in a process of its own, as it would be: apps that share one also share compiled code,
 * and slow each other down.
 */
export interface AppProcesses {
  readonly names: readonly string[]
  readonly script: URL
  /** What the script is started with, before the name of the app. */
  readonly words: readonly string[]
  /** Of the secrets of an app, those that it is called with. */
  readonly secretsFor?: (name: string, secrets: readonly string[]) => readonly string[]
  /** The whole request to an app with a secret. Default: GET of `/contacts`. */
  readonly requestWith?: (name: string, secret: string) => string
  /** The apps whose uses are counted, all in one storage or each in its own. */
  readonly counted: readonly string[]
  readonly hasOneStorage: boolean
}

/** Measures every app. */
export async function measureApps(apps: AppProcesses, plan: Plan): Promise<Measured> {
  const { names, counted, hasOneStorage, secretsFor = (_name, secrets) => secrets } = apps
  const { requestWith } = apps
  const cpu = new Map<string, number[]>()
  const p99 = new Map<string, number[]>()
  const sent = new Map<string, number>()
  const servers = new Map<string, ChildProcess>()
  const loads: Load[] = []
  const contenders: Contender[] = []
  for (const name of names) {
    const server = startServer(apps, name)
    servers.set(name, server)
    const { port, secrets } = await answerOf<Ready>(server)
    const target = { secrets: secretsFor(name, secrets), connections: CONNECTIONS }
    const request = requestWith && { requestWith: (secret: string) => requestWith(name, secret) }
    const load = await Load.open(port, { ...target, ...request })
    loads.push(load)
    const micros: number[] = []
    cpu.set(name, micros)
    const slowest: number[] = []
    p99.set(name, slowest)
    const onSlice = (times: readonly number[], spent: number) => {
      const count = times.length
      micros.push(spent / count)
      slowest.push(
        quantile(
          [...times].sort((a, b) => a - b),
          0.99,
        ),
      )
      sent.set(name, (sent.get(name) ?? 0) + count)
    }
    contenders.push(contender(name, { load, server, onSlice }))
  }
  const storedUses = async () => {
    const uses: number[] = []
    for (const name of counted) {
      uses.push((await ask<Stored>(servers.get(name) as ChildProcess, 'uses')).uses)
    }
    return hasOneStorage ? (uses.at(-1) ?? 0) : sum(uses)
  }
  const before = await storedUses()
  const measurement = await measure(contenders, plan)
  const stored = (await storedUses()) - before
  const expected = sum(counted.map((name) => sent.get(name) ?? 0))
  if (stored !== expected) throw new Error(`${expected} requests, ${stored} uses stored`)
  for (const load of loads) load.close()
  for (const server of servers.values()) server.disconnect()
  return { measurement, cpu, p99, names }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, number) => all + number, 0)
}

interface Way {
  readonly load: Load
  readonly server: ChildProcess
  /** Called after each slice: how long each request took, and microseconds of the server's processor. */
  readonly onSlice: (times: readonly number[], micros: number) => void
}

function contender(name: string, { load, server, onSlice }: Way): Contender {
  let [wanted, before] = [0, 0]
  let times: readonly number[] = []
  const processor = async () => (await ask<Processor>(server, 'processor')).micros
  return {
    name,
    prepare: async (count) => {
      wanted = count
      before = await processor()
    },
    async run() {
      times = await load.send(wanted)
      return times.length
    },
    finish: async () => onSlice(times, (await processor()) - before),
  }
}

function startServer({ script, words }: AppProcesses, name: string): ChildProcess {
  const program = [process.execPath, ...process.execArgv, fileURLToPath(script)]
  const [command, ...rest] = pinned(0, [...program, ...words, name])
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
