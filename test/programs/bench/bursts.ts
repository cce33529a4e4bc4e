import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sqliteStorage } from 'miftah/sqlite'
import { acceptedBy, type Fleet, withFleet } from './fleet.ts'
import { ACTOR, apiKeys, SCOPE } from './keys.ts'
import { type Bench, figure, quantile, type Table } from './measure.ts'

const REVOCATIONS = 500
const CREATIONS = 1_000

/** Changes that come all at once: revocations with caches beside them, creations on SQLite. */
export async function section({ short, log }: Bench): Promise<readonly Table[]> {
  const rounds = short ? 2 : 11
  const rates: Record<'one' | 'every' | 'inTurn' | 'atOnce', number[]> = {
    ...{ one: [], every: [], inTurn: [], atOnce: [] },
  }
  log('revocations')
  await withFleet(4, async (fleet) => {
    for (let round = 0; round < rounds; round += 1) {
      rates.one.push(await revokedPerSecond(fleet, fleet.slice(0, 1)))
      rates.every.push(await revokedPerSecond(fleet, fleet))
    }
  })
  log('creations')
  await createdPerSecond(rounds, rates)
  const rows = [
    [`${REVOCATIONS} revocations on PostgreSQL with four caches, in one process`, rates.one],
    ['the same, in four processes', rates.every],
    [`${CREATIONS} creations in a SQLite file, one after the other`, rates.inTurn],
    ['the same, at once', rates.atOnce],
  ] as const
  return [
    {
      ...{ title: 'Changes a second, all at once', head: ['', 'a second'] },
      rows: rows.map(([name, rate]) => [name, figure(quantile(rate, 0.5))]),
    },
  ]
}

/** The keys are in every cache before they are revoked, and in none after. */
async function revokedPerSecond(fleet: Fleet, callers: readonly Fleet[number][]): Promise<number> {
  const each = REVOCATIONS / callers.length
  const made = await Promise.all(callers.map((one) => one.call('create', each)))
  const secrets = made.flat().map(({ secret }) => secret)
  await Promise.all(fleet.map((one) => one.call('warm', secrets)))
  const begun = performance.now()
  const idsOf = (at: number) => made[at]?.map(({ id }) => id) ?? []
  await Promise.all(callers.map((one, at) => one.call('revoke', idsOf(at))))
  const seconds = (performance.now() - begun) / 1e3
  if ((await acceptedBy(fleet, secrets)) > 0) throw new Error('a revoked key was accepted')
  return REVOCATIONS / seconds
}

async function createdPerSecond(
  rounds: number,
  { inTurn, atOnce }: Readonly<Record<'inTurn' | 'atOnce', number[]>>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'miftah-bench-'))
  const keys = apiKeys(sqliteStorage(join(folder, 'keys.db')))
  const numbers = Array.from({ length: CREATIONS }, (_, n) => n)
  const create = (n: number) =>
    keys.createKey({
      ...{ workspaceId: `ws_${n % 100}`, creator: ACTOR, name: 'k', environment: 'live' },
      scopes: [SCOPE],
    })
  const rateOf = async (work: () => Promise<unknown>) => {
    const begun = performance.now()
    await work()
    return CREATIONS / ((performance.now() - begun) / 1e3)
  }
  try {
    for (let round = 0; round < rounds; round += 1) {
      inTurn.push(
        await rateOf(async () => {
          for (const n of numbers) await create(n)
        }),
      )
      atOnce.push(await rateOf(() => Promise.all(numbers.map(create))))
    }
  } finally {
    await keys.close()
    rmSync(folder, { recursive: true, force: true })
  }
}
