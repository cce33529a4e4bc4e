import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Statement } from '../../../adapters/storage/lib/postgres/driver.ts'
import { keyJson } from '../../../adapters/storage/lib/postgres/key-json.ts'
import { namesOf } from '../../../adapters/storage/lib/postgres/names.ts'
import { statementsOf } from '../../../adapters/storage/lib/postgres/statements.ts'
import { postgresStorage } from '../../../adapters/storage/postgres.ts'
import {
  sampleCreatedEvent,
  sampleRecord,
  sampleRevokeChange,
} from '../../../adapters/storage/testing/samples.ts'
import { fillKeys } from '../../support/postgres/many-keys.ts'
import { hasOwnServer } from '../../support/postgres/own-server.ts'
import { plannedNodes } from '../../support/postgres/plans.ts'
import { startStandby } from '../../support/postgres/standby.ts'
import { openPool, type TestDatabase, testDatabase } from '../../support/postgres-database.ts'
import { type PostgresServer, startPostgres } from '../../support/postgres-server.ts'

const KEYS = 20_000

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
  await fillKeys(pool, KEYS)
})

afterAll(async () => {
  await database.close()
  await server.dispose()
})

describe('plans', () => {
  const statements = statementsOf(namesOf({}))
  const hash = (digit: string) => digit.repeat(64)
  const page = { status: null, environment: null, atMs: 0, after: null, limit: 50 } as const

  const cases: readonly (readonly [string, Statement, readonly string[]])[] = [
    ['one lookup', statements.findOne(hash('a')), ['keys_hash']],
    ['many lookups', statements.findMany([hash('a'), hash('b')]), ['keys_hash']],
    ['one key by its id', statements.findById('ws_1', 'key_1'), ['keys_pkey', 'usage_pkey']],
    [
      'the first page',
      statements.list('ws_1', page),
      ['keys_active', 'keys_expiring', 'keys_revoked', 'usage_pkey', 'workspaces_pkey'],
    ],
    [
      'a later page',
      statements.list('ws_1', { ...page, after: 'key_1' }),
      [
        'keys_active',
        'keys_expiring',
        'keys_pkey',
        'keys_revoked',
        'purged_pkey',
        'usage_pkey',
        'workspaces_pkey',
      ],
    ],
    [
      'a filtered page',
      statements.list('ws_1', { ...page, status: ['revoked'], environment: 'test' }),
      ['keys_expiring', 'keys_retiring', 'keys_revoked', 'usage_pkey', 'workspaces_pkey'],
    ],
    [
      'a page of paused keys',
      statements.list('ws_1', { ...page, status: ['paused'] }),
      ['keys_expiring', 'keys_paused', 'usage_pkey', 'workspaces_pkey'],
    ],
    [
      'due notices',
      statements.dueNotices({ atMs: 5, limit: 100 }),
      ['keys_pkey', 'notices_by_time', 'usage_pkey'],
    ],
    ['events', statements.events('ws_1', { after: null, limit: 50 }), ['events_pkey']],
    [
      'later events',
      statements.events('ws_1', { after: 'evt_1', limit: 50 }),
      ['events_id', 'events_pkey', 'purged_pkey'],
    ],
    [
      'the newest events',
      statements.events('ws_1', { after: null, newestFirst: true, limit: 50 }),
      ['events_pkey'],
    ],
    [
      'the events of a key',
      statements.events('ws_1', { after: null, keyId: 'key_1', limit: 50 }),
      ['events_of_key'],
    ],
    [
      'the newest events of a key',
      statements.events('ws_1', { after: null, keyId: 'key_1', newestFirst: true, limit: 50 }),
      ['events_of_key'],
    ],
    [
      'earlier events of a key',
      statements.events('ws_1', { after: 'evt_1', keyId: 'key_1', newestFirst: true, limit: 50 }),
      ['events_id', 'events_of_key', 'purged_pkey'],
    ],
  ]

  test.each(cases)('%s uses its indexes and scans no table', async (_, statement, indexes) => {
    const plan = await plannedNodes(pool, statement)
    expect(plan.scannedTables).toEqual([])
    expect(plan.usedIndexes).toEqual(indexes)
  })

  test.each([
    ['paused', ['keys_paused']],
    ['retiring', ['keys_retiring']],
    ['expired', ['keys_expiring']],
    ['revoked', ['keys_retiring', 'keys_revoked']],
  ] as const)('a page of %s keys uses its indexes without statistics too', async (status, own) => {
    const client = await pool.connect()
    await client.query('BEGIN')
    await client.query("DELETE FROM pg_statistic WHERE starelid = 'miftah.keys'::regclass")
    const plan = await plannedNodes(client, statements.list('ws_1', { ...page, status: [status] }))
    await client.query('ROLLBACK')
    client.release()
    expect(plan.scannedTables).toEqual([])
    const others = ['usage_pkey', 'workspaces_pkey', 'keys_expiring'].filter(
      (index) => !(own as readonly string[]).includes(index),
    )
    expect(plan.usedIndexes.filter((index) => !others.includes(index))).toEqual(own)
  })

  test.each([true, false])(
    'events of a key use the index without statistics too',
    async (newestFirst) => {
      const client = await pool.connect()
      await client.query('BEGIN')
      await client.query("DELETE FROM pg_statistic WHERE starelid = 'miftah.events'::regclass")
      const query = { after: null, keyId: 'key_1', newestFirst, limit: 50 }
      const plan = await plannedNodes(client, statements.events('ws_1', query))
      await client.query('ROLLBACK')
      client.release()
      expect(plan).toEqual({ usedIndexes: ['events_of_key'], scannedTables: [] })
    },
  )

  test('the control: a table scan is seen', async () => {
    const statement = { text: 'SELECT count(name)::text FROM miftah.keys', values: [] }
    expect((await plannedNodes(pool, statement)).scannedTables).toEqual(['keys'])
  })

  test('a generic plan of the lookups uses the same index', async () => {
    const client = await pool.connect()
    await client.query('SET plan_cache_mode = force_generic_plan')
    for (const statement of [statements.findOne(hash('a')), statements.findMany([hash('a')])]) {
      expect((await plannedNodes(client, statement)).usedIndexes).toEqual(['keys_hash'])
    }
    client.release(true)
  })
})

describe('what the server counts', () => {
  async function lookupsCounted(): Promise<number> {
    const { rows } = await pool.query(`SELECT coalesce(sum(calls), 0)::int AS n
      FROM pg_stat_statements s JOIN pg_database d ON d.oid = s.dbid
      WHERE d.datname = current_database() AND query LIKE '%WHERE k.hash%'`)
    return rows[0].n
  }

  test.skipIf(!hasOwnServer)(
    '64 callers at a time share one round trip for ten of them',
    async () => {
      await pool.query('CREATE EXTENSION IF NOT EXISTS pg_stat_statements')
      const storage = postgresStorage(pool)
      const { rows } = await pool.query(`SELECT encode(hash, 'hex') AS hash FROM miftah.keys`)
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

  test.skipIf(!hasOwnServer)('one change is one statement', async () => {
    const storage = postgresStorage(pool)
    await storage.migrate()
    const record = sampleRecord()
    await pool.query('SELECT pg_stat_statements_reset()')
    await storage.insert(record, 5, sampleCreatedEvent(record))
    await storage.revoke(sampleRevokeChange(record))
    const { rows } = await pool.query(`SELECT calls::int FROM pg_stat_statements
      WHERE query LIKE '%miftah%' AND query NOT LIKE '%pg_stat_statements%' ORDER BY query`)
    expect(rows).toEqual([{ calls: 1 }, { calls: 1 }])
  })

  test('a change makes its commit durable, whatever the session is set to', async () => {
    const client = await pool.connect()
    const settings = async (given: string) => {
      const record = sampleRecord()
      await client.query(`BEGIN; SET LOCAL synchronous_commit = ${given}`)
      await client.query('SELECT miftah.insert_key($1)', [
        JSON.stringify({
          record: keyJson(record),
          activeLimit: null,
          event: sampleCreatedEvent(record),
        }),
      ])
      const { rows } = await client.query('SHOW synchronous_commit')
      await client.query('ROLLBACK')
      return rows[0].synchronous_commit
    }
    expect(await settings('off')).toBe('on')
    expect(await settings('local')).toBe('on')
    expect(await settings('remote_apply')).toBe('remote_apply')
    client.release()
  })
})

describe('a read replica', () => {
  test.skipIf(!hasOwnServer)('is refused at first use, and in every later read', async () => {
    const copied = await startPostgres()
    const record = sampleRecord()
    const own = await testDatabase(copied)
    await postgresStorage(own.pool()).insert(record, null, sampleCreatedEvent(record))
    await own.close()
    const replica = await startStandby(copied)
    const onReplica = openPool({ connectionString: replica.url(own.name) })
    const onPrimary = openPool({ connectionString: copied.url(own.name) })
    const code = { code: 'not_primary' }
    const first = postgresStorage(onReplica)
    await expect(Promise.resolve(first.findByHash(record.hash))).rejects.toMatchObject(code)
    await expect(first.migrate()).rejects.toMatchObject(code)
    // Without a schema there is no check that could tell; the migration tells.
    const empty = postgresStorage(onReplica, { schema: 'empty' })
    await expect(empty.migrate()).rejects.toMatchObject(code)
    // A pool that spreads its statements may meet the primary first and a replica later.
    let isLate = false
    const spread = postgresStorage({
      query: (text, values) => (isLate ? onReplica : onPrimary).query(text, values),
    })
    expect(await spread.findByHash(record.hash)).toEqual(record)
    isLate = true
    await expect(Promise.resolve(spread.findByHash(record.hash))).rejects.toMatchObject(code)
    const { workspaceId, id } = record
    await expect(spread.findById(workspaceId, id)).rejects.toMatchObject(code)
    await expect(spread.events(workspaceId, { after: null, limit: 1 })).rejects.toMatchObject(code)
    await expect(spread.revoke(sampleRevokeChange(record))).rejects.toMatchObject({
      code: 'refused',
    })
    await Promise.all([onReplica.end(), onPrimary.end()])
    await replica.stop('fast')
    await copied.dispose()
  })
})
