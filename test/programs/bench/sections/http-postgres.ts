import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Measured, measureApps, serverTable } from '../http/measure.ts'
import { pinThisProcess } from '../http/pin.ts'
import { type Bench, type SectionResult, target } from '../measure/result.ts'
import type { Plan } from '../measure/rounds.ts'
import { figure } from '../measure/text.ts'
import { countingServer, filledDatabase } from './postgres-world.ts'

const IN_MEMORY = 'by hand, in memory'
const ON_POSTGRES = 'by hand, on PostgreSQL'
const COUNTED = ['miftah', 'miftah with the cache']

/** Requests a second of Fastify on PostgreSQL, by the number of keys that are in use. */
export async function section({ short, log }: Bench): Promise<SectionResult> {
  const plan: Plan = short
    ? { rounds: 9, sliceMs: 200, warmUpMs: 1_500 }
    : { rounds: 41, sliceMs: 400, warmUpMs: 5_000 }
  const sizes = short ? [1_000, 10_000] : [1_000, 100_000]
  // Before this process is pinned, for the server would inherit it.
  const server = await countingServer()
  pinThisProcess(1)
  const folder = mkdtempSync(join(tmpdir(), 'miftah-bench-'))
  const found: { readonly size: number; readonly measured: Measured }[] = []
  for (const size of sizes) {
    log(`${figure(size)} keys`)
    const url = server.url(await server.createDatabase())
    const secrets = join(folder, `${size}.json`)
    writeFileSync(secrets, JSON.stringify(await filledDatabase(url, size)))
    const script = new URL('../http/postgres-server.ts', import.meta.url)
    const names = ['bare', IN_MEMORY, ON_POSTGRES, ...COUNTED]
    const apps = { names, script, words: [url, secrets], counted: COUNTED, hasOneStorage: true }
    found.push({ size, measured: await measureApps(apps, plan) })
  }
  rmSync(folder, { recursive: true })
  await server.dispose()
  const shares = found.map(({ measured: { measurement } }) => ({
    direct: measurement.ratio(ON_POSTGRES, 'miftah').median,
    cached: measurement.ratio(IN_MEMORY, 'miftah with the cache').median,
  }))
  const [few = { direct: Number.NaN, cached: Number.NaN }, many = few] = shares
  return {
    tables: found.map(({ size, measured }) =>
      serverTable(`Fastify 5 on PostgreSQL, ${figure(size)} keys in use`, measured, [
        ...['bare', IN_MEMORY, ON_POSTGRES],
      ]),
    ),
    targets: [
      target('Fastify on PostgreSQL with the cache, times a check by hand in memory', 'at least', {
        ...{ limit: 0.95, value: few.cached },
      }),
      target(
        `Fastify on PostgreSQL, its share of a check by hand with ${figure(sizes.at(-1) ?? 0)} keys, times that with ${figure(sizes[0] ?? 0)}`,
        'at least',
        { limit: 0.9, value: many.direct / few.direct },
      ),
    ],
  }
}
