import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { requestText } from '../http/load.ts'
import { CONNECTIONS, type Measured, measureApps } from '../http/measure.ts'
import { pinThisProcess } from '../http/pin.ts'
import type { Bench, SectionResult, Table } from '../measure/result.ts'
import type { Plan } from '../measure/rounds.ts'
import { spread } from '../measure/stats.ts'
import { figure, spreadText } from '../measure/text.ts'
import { RESOURCE_SERVER } from './keys.ts'
import { countingServer, filledDatabase } from './postgres-world.ts'

const NGINX = 'nginx: a static 204'
const GUARD = 'guard: requireKey inside Fastify 5'
const FORWARD = 'serve: forward authentication'
const INTROSPECTION = 'serve: introspection'
const KEYS = 1_000

/** Requests a second of `miftah serve` with the cache on PostgreSQL. */
export async function section({ short }: Bench): Promise<SectionResult> {
  const plan: Plan = short
    ? { rounds: 9, sliceMs: 200, warmUpMs: 1_500 }
    : { rounds: 41, sliceMs: 400, warmUpMs: 10_000 }
  // Before this process is pinned, for the server would inherit it.
  const server = await countingServer()
  pinThisProcess(1)
  const folder = mkdtempSync(join(tmpdir(), 'miftah-bench-'))
  const url = server.url(await server.createDatabase())
  const secrets = join(folder, 'secrets.json')
  writeFileSync(secrets, JSON.stringify(await filledDatabase(url, KEYS)))
  const counted = [GUARD, FORWARD, INTROSPECTION]
  const hasNginx = spawnSync('nginx', ['-v']).error === undefined
  const script = new URL('../http/gateway-server.ts', import.meta.url)
  const names = [...(hasNginx ? [NGINX] : []), ...counted]
  const words = [url, secrets, folder]
  const apps = { names, script, words, counted, requestWith, hasOneStorage: true }
  const measured = await measureApps(apps, plan)
  rmSync(folder, { recursive: true })
  await server.dispose()
  return { tables: [tableOf(measured)], targets: [] }
}

function requestWith(name: string, secret: string): string {
  const host = 'Host: 127.0.0.1'
  const bearer = `Authorization: Bearer ${secret}`
  if (name === FORWARD) {
    const original = ['X-Original-Method: GET', 'X-Original-URI: /contacts']
    return requestText(['GET /auth HTTP/1.1', host, bearer, ...original])
  }
  if (name !== INTROSPECTION) return requestText(['GET /contacts HTTP/1.1', host, bearer])
  const body = `token=${secret}`
  const form = ['Content-Type: application/x-www-form-urlencoded', `Content-Length: ${body.length}`]
  const caller = `Authorization: Bearer ${RESOURCE_SERVER}`
  return requestText(['POST /introspect HTTP/1.1', host, caller, ...form], body)
}

function tableOf({ measurement, cpu, p99, names }: Measured): Table {
  const bases = [NGINX, GUARD].filter((name) => names.includes(name))
  const lastOf = (all: typeof cpu, name: string) =>
    spread((all.get(name) ?? []).slice(-measurement.rounds))
  const shortOf = (name: string) => name.replace(/:.*/, '')
  return {
    title: `miftah serve on PostgreSQL, ${figure(KEYS)} keys in use, ${CONNECTIONS} connections`,
    head: [
      'server',
      'requests a second',
      ...bases.map((base) => `times ${shortOf(base)}`),
      'p99 ms',
      ...['server µs a request', ...bases.map((base) => `µs, times ${shortOf(base)}`)],
    ],
    rows: names.map((name) => {
      const micros = (of: string) => lastOf(cpu, of).median
      return [
        name,
        spreadText(measurement.rate(name)),
        ...bases.map((base) => spreadText(measurement.ratio(base, name))),
        spreadText(lastOf(p99, name)),
        figure(micros(name)),
        ...bases.map((base) => figure(micros(name) / micros(base))),
      ]
    }),
    note: 'Each server has one core, and the load, a process of Node, the other: where a server needs little, the load is the limit, so compare the time of the processor too. The guard and serve keep the keys in memory.',
  }
}
