import type pg from 'pg'
import { beforeEach, expect, test } from 'vitest'
import { type PostgresStorage, postgresStorage } from '../../../adapters/storage/postgres.ts'
import { sampleCreatedEvent, sampleRecord } from '../../../adapters/storage/testing/samples.ts'
import type { ErasureOutcome } from '../../../src/storage/index.ts'
import { inserted } from '../../support/inserted.ts'
import { databaseForTest } from '../../support/postgres/own-database.ts'
import { until } from '../../support/postgres/until.ts'

let pool: pg.Pool
let storage: PostgresStorage

beforeEach(async () => {
  pool = (await databaseForTest()).pool()
  storage = postgresStorage(pool)
  await storage.migrate()
  await storage.changes?.register({ node: 'a', leaseMs: 1_000 })
  const record = sampleRecord({ workspaceId: 'ws_1', expiresAtMs: 2_000 })
  const event = sampleCreatedEvent(record)
  await storage.insert(record, null, event)
  const history = {
    ...{ hourlyForDays: 30, dailyForDays: 400 },
    counts: [{ id: record.id, hour: 1, outcome: 'accepted' as const, count: 1 }],
  }
  const uses = [{ id: record.id, uses: 1, lastUsedAtMs: 1 }]
  await storage.addUses({ writer: 'w', sequence: 1, uses, history })
})

const STEPS: Readonly<Record<string, () => Promise<ErasureOutcome>>> = {
  erasePerson: () => storage.erasePerson({ personId: sampleRecord().creator.id, limit: 5 }),
  eraseWorkspace: () =>
    storage.eraseWorkspace({ workspaceId: 'ws_1', erasedAtMs: 5_000, limit: 5 }),
  purge: () => storage.purge({ endedBeforeMs: 3_000, eventsBeforeMs: 5_000, limit: 5 }),
}

async function runAll(step: () => Promise<ErasureOutcome>): Promise<void> {
  while ((await step()).more);
}

const blocked = `EXISTS (SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock'
  AND datname = current_database())`

// A lock on a table stands for a search or a deletion that takes long.
test.each([
  ['erasePerson', 'events'],
  ['eraseWorkspace', 'outbox'],
  ['eraseWorkspace', 'purged'],
  ['eraseWorkspace', 'usage_days'],
  ['purge', 'outbox'],
  ['purge', 'usage_days'],
])('%s does not hold up other changes while it works on %s', async (name, table) => {
  const client = await pool.connect()
  const step = STEPS[name] ?? expect.fail()
  try {
    await client.query('BEGIN')
    await client.query(`LOCK TABLE miftah.${table} IN ACCESS EXCLUSIVE MODE`)
    const done = runAll(step)
    await until(pool, blocked)
    const { rows } = await pool.query('SELECT is_used FROM miftah.change_clock FOR UPDATE NOWAIT')
    expect(rows).toEqual([{ is_used: true }])
    await client.query('COMMIT')
    await done
  } finally {
    client.release(true)
  }
})

test('two erasures of one person at once erase it whole', async () => {
  for (let made = 0; made < 20; made += 1) {
    const _record = await inserted(storage, { workspaceId: `ws_${made}` })
  }
  const { id: personId } = sampleRecord().creator
  const totals = await Promise.all(
    [1, 2, 3].map(async () => {
      let keys = 0
      for (let more = true; more; ) {
        const outcome = await storage.erasePerson({ personId, limit: 2 })
        expect(!outcome.more || outcome.keys + outcome.events > 0).toBe(true)
        keys += outcome.keys
        ;({ more } = outcome)
      }
      const { rows } = await pool.query('SELECT FROM miftah.keys WHERE creator_id = $1', [personId])
      expect(rows).toEqual([])
      return keys
    }),
  )
  expect(totals.reduce((sum, keys) => sum + keys)).toBe(21)
})

test.each(['keys', 'events'])(
  'a trigger that swallows the change of %s fails it',
  async (table) => {
    await pool.query(`CREATE FUNCTION public.swallow() RETURNS trigger LANGUAGE plpgsql AS
    'BEGIN RETURN NULL; END'`)
    await pool.query(`CREATE TRIGGER swallow BEFORE UPDATE ON miftah.${table}
    FOR EACH ROW EXECUTE FUNCTION public.swallow()`)
    const record = sampleRecord()
    const personId = table === 'keys' ? record.creator.id : sampleCreatedEvent(record).actor.id
    await expect(runAll(() => storage.erasePerson({ personId, limit: 5 }))).rejects.toMatchObject({
      code: 'refused',
    })
  },
)
