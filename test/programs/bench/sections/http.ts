import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { Load } from '../http/load.ts'
import { pinned, pinThisProcess } from '../http/pin.ts'
import type { Processor, Ready, Stored } from '../http/server.ts'
import {
  type Bench,
  type Chart,
  type SectionResult,
  type Table,
  target,
} from '../measure/result.ts'
import { type Contender, type Measurement, measure, type Plan } from '../measure/rounds.ts'
import { spread } from '../measure/stats.ts'
import { figure, spreadText } from '../measure/text.ts'

const CONNECTIONS = 64
const FRAMEWORKS = ['express', 'fastify'] as const
const TITLES = { express: 'Express 5', fastify: 'Fastify 5' }
const CONSTANT = 'constant'
const FLOOR = 'floor'

/** Requests a second with each way to guard a route, server and load in processes of their own. */
export async function http({ short, log }: Bench): Promise<SectionResult> {
  const plan: Plan = short
    ? { rounds: 9, sliceMs: 120, warmUpMs: 700 }
    : { rounds: 41, sliceMs: 400, warmUpMs: 4_000 }
  pinThisProcess(1)
  const tables: Table[] = []
  const targets = []
  const groups: Chart['groups'][number][] = []
  for (const framework of FRAMEWORKS) {
    log(TITLES[framework])
    const { measurement, cpu, names } = await measureFramework(framework, plan)
    tables.push(tableOf(framework, { measurement, cpu, names }))
    targets.push(
      target(`${TITLES[framework]} with requireKey, times a hand-written check`, 'at least', {
        limit: 0.95,
        value: measurement.ratio(FLOOR, 'miftah').median,
      }),
    )
    groups.push({
      label: TITLES[framework],
      bars: names.map((name) => ({ name, value: measurement.ratio('bare', name).median })),
    })
  }
  const title = 'Requests a second with each guard, as a share of the bare framework'
  const charts = [{ file: 'benchmark-http.svg', title, unit: 'of bare', groups }]
  return { tables, targets, charts }
}

interface Measured {
  readonly measurement: Measurement
  /** Processor time of the server for one request in microseconds, by round. */
  readonly cpu: ReadonlyMap<string, readonly number[]>
  readonly names: readonly string[]
}

async function measureFramework(framework: string, plan: Plan): Promise<Measured> {
  const server = startServer(framework)
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
      if (name === 'miftah') sent += count
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

/** One key where a guard knows one, all of them where it knows all. */
function secretsFor(name: string, { secrets, peerSecrets }: Ready): readonly string[] {
  if (name === 'better-auth') return peerSecrets
  return name === CONSTANT || name.endsWith(' 1 key') ? secrets.slice(0, 1) : secrets
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

function startServer(framework: string): ChildProcess {
  const script = fileURLToPath(new URL('../http/server.ts', import.meta.url))
  const [command, ...words] = pinned(0, [process.execPath, ...process.execArgv, script, framework])
  return spawn(command ?? '', words, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
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

function tableOf(framework: keyof typeof TITLES, { measurement, cpu, names }: Measured): Table {
  return {
    title: `${TITLES[framework]}, ${CONNECTIONS} connections`,
    head: [
      ...['guard', 'requests a second', 'times bare', 'times constant', 'times floor'],
      'server µs a request',
    ],
    rows: names.map((name) => [
      name,
      spreadText(measurement.rate(name)),
      spreadText(measurement.ratio('bare', name)),
      spreadText(measurement.ratio(CONSTANT, name)),
      spreadText(measurement.ratio(FLOOR, name)),
      figure(spread((cpu.get(name) ?? []).slice(-measurement.rounds)).median),
    ]),
  }
}
