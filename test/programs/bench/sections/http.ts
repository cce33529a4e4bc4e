import { measureServer, serverTable } from '../http/measure.ts'
import { pinThisProcess } from '../http/pin.ts'
import type { Ready } from '../http/serve.ts'
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
    const script = new URL('../http/server.ts', import.meta.url)
    const server = { script, words: [framework], secretsFor, counted: ['miftah'] }
    const measured = await measureServer(server, plan)
    const { measurement, names } = measured
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
function secretsFor(name: string, { secrets, peerSecrets }: Ready): readonly string[] {
  if (name === 'better-auth') return peerSecrets
  return name === CONSTANT || name.endsWith(' 1 key') ? secrets.slice(0, 1) : secrets
}
