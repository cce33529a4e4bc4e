import { measureApps, serverTable } from '../http/measure.ts'
import { pinThisProcess } from '../http/pin.ts'
import {
  type Bench,
  type Chart,
  type SectionResult,
  type Table,
  target,
} from '../measure/result.ts'
import type { Plan } from '../measure/rounds.ts'

const FRAMEWORKS = ['express', 'fastify'] as const
const TITLES = { express: 'Express 5', fastify: 'Fastify 5' }
const CONSTANT = 'constant'
const FLOOR = 'floor'
const BEARER_AUTH = ['bearer-auth, 1 key', 'bearer-auth, 1,000 keys'] as const
const GUARDS = {
  express: ['bare', CONSTANT, FLOOR, 'miftah', 'passport', 'better-auth'],
  fastify: ['bare', CONSTANT, FLOOR, 'miftah', ...BEARER_AUTH, 'better-auth'],
} as const

/** Requests a second with each way to guard a route, server and load in processes of their own. */
export async function section({ short, log }: Bench): Promise<SectionResult> {
  const plan: Plan = short
    ? { rounds: 9, sliceMs: 120, warmUpMs: 700 }
    : { rounds: 41, sliceMs: 400, warmUpMs: 4_000 }
  pinThisProcess(1)
  const tables: Table[] = []
  const targets = []
  const groups: Chart['groups'][number][] = []
  for (const framework of FRAMEWORKS) {
    log(TITLES[framework])
    const script = new URL('../http/server.ts', import.meta.url)
    const names = GUARDS[framework]
    const apps = { names, script, words: [framework], secretsFor }
    const measured = await measureApps({ ...apps, counted: ['miftah'], hasOneStorage: false }, plan)
    const { measurement } = measured
    tables.push(serverTable(TITLES[framework], measured, ['bare', CONSTANT, FLOOR]))
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

/** One key where a guard knows one, all of them where it knows all. */
function secretsFor(name: string, secrets: readonly string[]): readonly string[] {
  return name === CONSTANT || name === BEARER_AUTH[0] ? secrets.slice(0, 1) : secrets
}
