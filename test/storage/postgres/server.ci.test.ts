import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Statement } from '../../../adapters/storage/lib/postgres/driver.ts'
import { type PostgresPool, postgresStorage } from '../../../adapters/storage/postgres.ts'
import {
  sampleInsertion,
  sampleRecord,
  sampleRevocation,
} from '../../../adapters/storage/testing/samples.ts'
import type { KeyPageQuery, KeyStorage } from '../../../src/storage/index.ts'
import { fillKeys } from '../../support/postgres/many-keys.ts'
import { hasOwnServer } from '../../support/postgres/own-server.ts'
import { plannedNodes } from '../../support/postgres/plans.ts'
import { startStandby } from '../../support/postgres/standby.ts'
import { openPool, type TestDatabase, testDatabase } from '../../support/postgres-database.ts'
import { type PostgresServer, startPostgres } from '../../support/postgres-server.ts'
import { viewOf } from '../../support/stored.ts'

let server: PostgresServer
let database: TestDatabase
let pool: pg.Pool

beforeAll(async () => {
  server = await startPostgres({
    shared_preload_libraries: 'pg_stat_statements',
    'pg_stat_statements.track': 'top',
  })
  database = await testDatabase(server)
  pool = database.pool()
  await postgresStorage(pool).migrate()
  await fillKeys(pool, 20_000)
})

afterAll(async () => {
  await database.close()
  await server.dispose()
})

/** The last statement that a call sends. */
async function statementOf(call: (storage: KeyStorage) => unknown): Promise<Statement> {
  let last: Statement = { text: '', values: [] }
  const seen: PostgresPool = {
    query: (text, values = []) => {
      last = { text, values }
      return pool.query(text, values)
    },
  }
  await call(postgresStorage(seen))
  return last
}

/** What the server does for a statement once nothing is known of the rows. */
async function withoutStatistics(statement: Statement) {
  const client = await pool.connect()
  await client.query('BEGIN')
  await client.query(`DELETE FROM pg_statistic WHERE starelid IN (
    'miftah.miftah_keys'::regclass, 'miftah.miftah_events'::regclass)`)
  const plan = await plannedNodes(client, statement)
  await client.query('ROLLBACK')
  client.release()
  return plan
}

describe('plans', () => {
  const page = { status: null, environment: null, atMs: 0, after: null, limit: 50, countUpTo: null }
  const list =
    (query: Partial<KeyPageQuery> = {}) =>
    (all: KeyStorage) =>
      all.list('ws_1', { ...page, ...query })
  const view = viewOf('ws_1', ['key_1'], ['evt_1'])
  const hash = (digit: string) => digit.repeat(64)

  const cases: Readonly<
    Record<string, readonly [readonly string[], (all: KeyStorage) => unknown]>
  > = {
    'a lookup': [['miftah_keys_hash_key'], (all) => all.findByHash(hash('a'))],
    'many lookups': [
      ['miftah_keys_hash_key'],
      (all) => Promise.all(['a', 'b', 'c'].map((digit) => all.findByHash(hash(digit)))),
    ],
    'a view': [
      ['miftah_events_id_key', 'miftah_keys_pkey', 'miftah_usage_pkey', 'miftah_workspaces_pkey'],
      (all) => all.read(view),
    ],
    'the first page': [['miftah_keys_workspace_id_place_key', 'miftah_usage_pkey'], list()],
    'a later page': [
      ['miftah_keys_workspace_id_place_key', 'miftah_usage_pkey'],
      list({ after: 50 }),
    ],
    'a page of revoked keys': [
      ['miftah_keys_revoked', 'miftah_usage_pkey'],
      list({ status: ['revoked'] }),
    ],
    'a page of paused keys': [['miftah_usage_pkey'], list({ status: ['paused'] })],
    events: [['miftah_events_pkey'], (all) => all.events('ws_1', { after: null, limit: 50 })],
    'the newest events': [
      ['miftah_events_pkey'],
      (all) => all.events('ws_1', { after: 90, newestFirst: true, limit: 50 }),
    ],
    'the events of a key': [
      ['miftah_events_key'],
      (all) => all.events('ws_1', { after: null, keyId: 'key_1', limit: 50 }),
    ],
    'the newest events of a key': [
      ['miftah_events_key'],
      (all) => all.events('ws_1', { after: 9, keyId: 'key_1', newestFirst: true, limit: 50 }),
    ],
    'due notices': [
      ['miftah_keys_notice', 'miftah_usage_pkey'],
      (all) => all.due({ atMs: 1_767_225_600_100, limit: 10 }),
    ],
    'the keys of a person': [
      ['miftah_keys_creator', 'miftah_keys_pauser', 'miftah_usage_pkey'],
      (all) => all.keysOfPerson({ personId: 'u_7', limit: 10 }),
    ],
    usage: [
      ['miftah_keys_pkey'],
      (all) => all.usage('ws_1', { id: 'key_1', fromHour: 0, toHour: 1 }),
    ],
  }

  test.each(Object.entries(cases))(
    '%s uses its indexes and scans no table',
    async (_, [indexes, call]) => {
      const statement = await statementOf(call)
      for (const plan of [
        await plannedNodes(pool, statement),
        await withoutStatistics(statement),
      ]) {
        expect(plan.scannedTables.filter((table) => table !== 'miftah_hourly_usage')).toEqual([])
        expect(plan.usedIndexes).toEqual(expect.arrayContaining([...indexes]))
      }
    },
  )

  test('a write, a claim and a purge scan no table of keys or events', async () => {
    const record = sampleRecord({ workspaceId: 'ws_1' })
    for (const call of [
      (all: KeyStorage) => all.write([sampleInsertion(record)]),
      (all: KeyStorage) => all.claimEvents({ relay: 'r', leaseMs: 1, limit: 5, except: [] }),
      (all: KeyStorage) => all.purge({ endedBeforeMs: 1, eventsBeforeMs: 1, limit: 5 }),
      (all: KeyStorage) => all.renameActor({ personId: 'u_none', limit: 5 }),
    ]) {
      const { scannedTables } = await plannedNodes(pool, await statementOf(call))
      expect(scannedTables).not.toContain('miftah_keys')
      expect(scannedTables).not.toContain('miftah_events')
    }
  })

  test('the control: a table scan is seen', async () => {
    const statement = { text: 'SELECT count(name)::text FROM miftah.miftah_keys', values: [] }
    expect((await plannedNodes(pool, statement)).scannedTables).toEqual(['miftah_keys'])
  })
})

test.skipIf(!hasOwnServer)(
  '64 callers at a time share one round trip for ten of them',
  async () => {
    await pool.query('CREATE EXTENSION IF NOT EXISTS pg_stat_statements')
    const lookupsCounted = async () => {
      const { rows } = await pool.query(`SELECT coalesce(sum(calls), 0)::int AS n
      FROM pg_stat_statements s JOIN pg_database d ON d.oid = s.dbid
      WHERE d.datname = current_database() AND query LIKE '%WHERE k.hash%'`)
      return rows[0].n
    }
    const storage = postgresStorage(pool)
    const { rows } = await pool.query(`SELECT encode(hash, 'hex') AS hash FROM miftah.miftah_keys`)
    const before = await lookupsCounted()
    const rounds = 100
    await Promise.all(
      Array.from({ length: 64 }, async (_, caller) => {
        for (let round = 0; round < rounds; round += 1) {
          const { hash } = rows[(caller * rounds + round) % rows.length]
          expect((await storage.findByHash(hash))?.hash).toBe(hash)
        }
      }),
    )
    const perCall = ((await lookupsCounted()) - before) / (64 * rounds)
    expect(perCall).toBeGreaterThan(0)
    expect(perCall).toBeLessThanOrEqual(0.1)
  },
)

test.skipIf(!hasOwnServer)(
  'a read replica is refused at first use, and in every later read',
  async () => {
    const copied = await startPostgres()
    const record = sampleRecord()
    const own = await testDatabase(copied)
    await postgresStorage(own.pool()).write([sampleInsertion(record)])
    await own.close()
    const replica = await startStandby(copied)
    const onReplica = openPool({ connectionString: replica.url(own.name) })
    const onPrimary = openPool({ connectionString: copied.url(own.name) })
    const code = { code: 'not_primary' }
    const first = postgresStorage(onReplica)
    await expect(Promise.resolve(first.findByHash(record.hash))).rejects.toMatchObject(code)
    await expect(first.migrate()).rejects.toMatchObject(code)
    const empty = postgresStorage(onReplica, { schema: 'empty' })
    await expect(empty.migrate()).rejects.toMatchObject(code)
    expect(await first.diagnose()).toMatchObject({ mode: 'replica', schemaVersion: 1 })
    // A pool that spreads its statements may meet the primary first and a replica later.
    let isLate = false
    const spread = postgresStorage({
      query: (text, values) => (isLate ? onReplica : onPrimary).query(text, values),
    })
    expect(await spread.findByHash(record.hash)).toEqual(record)
    isLate = true
    const { workspaceId, id } = record
    await expect(Promise.resolve(spread.findByHash(record.hash))).rejects.toMatchObject(code)
    await expect(spread.read(viewOf(workspaceId, [id]))).rejects.toMatchObject(code)
    await expect(spread.events(workspaceId, { after: null, limit: 1 })).rejects.toMatchObject(code)
    await expect(spread.write([sampleRevocation({ record, edition: 1 })])).rejects.toMatchObject({
      code: 'refused',
    })
    await Promise.all([onReplica.end(), onPrimary.end()])
    await replica.stop('fast')
    await copied.dispose()
  },
)
