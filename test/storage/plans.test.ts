import type { RowDataPacket } from 'mysql2'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { Statement } from '../../adapters/storage/lib/postgres/driver.ts'
import { mysqlStorage } from '../../adapters/storage/mysql.ts'
import { type PostgresPool, postgresStorage } from '../../adapters/storage/postgres.ts'
import { sqliteStorage } from '../../adapters/storage/sqlite.ts'
import { sampleEvent, sampleRecord } from '../../adapters/storage/testing/samples.ts'
import type { KeyStorage } from '../../src/storage/index.ts'
import { hasServer, tablesForFile } from '../support/mysql/server.ts'
import { watchedPool } from '../support/mysql/watched-pool.ts'
import { databaseForFile } from '../support/postgres/own-database.ts'
import { inMemory, prepared } from '../support/sqlite-files.ts'
import { CHANGES, READS } from '../support/storage-calls.ts'

/* Among thousands of rows, a statement reads those that it needs. */

const lookup = (all: KeyStorage) => all.findByHash('f'.repeat(64))
const QUESTIONS = { ...READS, 'a lookup': lookup }

/** As many workspaces of 100 keys, each with an event; every third key is revoked. */
async function fill(storage: KeyStorage, workspaces: number) {
  const keyOf = (at: number) =>
    sampleRecord({
      ...{ id: `key_${at}`, workspaceId: `ws_${Math.floor(at / 100)}` },
      creator: { id: `u_${at % 500}`, name: 'U' },
      ...{ expiresAtMs: 1_700_000_000_000 + at, noticeAtMs: 1_600_000_000_000 + at },
      revokedAtMs: at % 3 === 0 ? 1_500_000_000_000 : null,
    })
  const steps = Array.from({ length: workspaces }, (_, of) => {
    const records = Array.from({ length: 100 }, (_, at) => keyOf(100 * of + at))
    return {
      ...{ workspaceId: `ws_${of}`, ifAddedAtMost: null, adds: 100 },
      keys: records.map((record) => ({ record, ifEdition: null })),
      events: records.map((record) => sampleEvent(record, { id: record.id.replace('key', 'evt') })),
    }
  })
  await storage.write(steps)
  const ids = steps.flatMap(({ keys }) => keys.map(({ record }) => record.id))
  const counts = ids.map((id, at) => ({
    ...{ id, outcome: 'accepted' as const },
    hour: at % 99,
    count: 1,
  }))
  const uses = ids.map((id) => ({ id, uses: 1, lastUsedAtMs: 1 }))
  await storage.addUses({ writer: 'w', sequence: 0, uses, history: { keepDays: 400, counts } })
}

describe('on PostgreSQL', () => {
  const db = databaseForFile()
  const sent: Statement[] = []
  const watched: PostgresPool = {
    query: (text, values = []) => {
      if (text.includes('miftah_')) sent.push({ text, values })
      return db.pool.query(text, values)
    },
  }
  const storage = postgresStorage(watched)

  beforeAll(async () => {
    await fill(storage, 100)
    await db.pool.query('UPDATE miftah.miftah_events SET is_pending = false WHERE place > 1')
    await db.pool.query(`INSERT INTO miftah.miftah_workspaces (id, revision, added)
      SELECT 'more_' || i, 1, 1 FROM generate_series(1, 9000) AS i`)
    for (const table of ['keys', 'usage', 'events', 'hourly_usage', 'workspaces'])
      await db.pool.query(`VACUUM ANALYZE miftah.miftah_${table}`)
  })

  const INDEXES: Readonly<Record<string, readonly string[]>> = {
    'a lookup': ['keys_hash_key'],
    'a view': ['events_id_key', 'keys_pkey', 'usage_pkey', 'workspaces_pkey'],
    'the newest keys': ['keys_workspace_id_place_key', 'usage_pkey'],
    'older keys': ['keys_workspace_id_place_key', 'usage_pkey'],
    'revoked keys': ['keys_revoked', 'usage_pkey'],
    events: ['events_pkey'],
    'the newest events': ['events_pkey'],
    'events of a key': ['events_key'],
    'the newest events of a key': ['events_key'],
    'due notices': ['keys_notice', 'usage_pkey'],
    'the keys of a person': ['keys_creator', 'keys_pauser', 'usage_pkey'],
    'the usage of a key': ['keys_pkey'],
  }
  /** Tables of few rows, and the hours of a workspace. */
  const SMALL = /^miftah_(?:hourly_usage|schema|nodes|log|clock|relay|writers)$/

  /** The indexes that a plan uses, and the tables that it reads from one end to the other. */
  async function plannedNodes(on: PostgresPool, { text, values }: Statement) {
    const { rows } = await on.query(`EXPLAIN (FORMAT JSON) ${text}`, [...values])
    const plan = JSON.stringify(rows)
    const named = (pattern: RegExp) => [...plan.matchAll(pattern)].map(([, name = '']) => name)
    const scanned = named(/"Node Type":"[^"]*Seq Scan"[^{}]*?"Relation Name":"(\w+)"/g)
    const indexes = named(/"Index Name":"miftah_(\w+)"/g)
    return { indexes, scanned: scanned.filter((table) => !SMALL.test(table)) }
  }

  test.each(Object.entries({ ...QUESTIONS, ...CHANGES }))('%s', async (name, ask) => {
    sent.length = 0
    await ask(storage)
    const client = await db.pool.connect()
    onTestFinished(() => client.release(true))
    await client.query('BEGIN')
    for (const isKnown of name in CHANGES ? [true] : [true, false]) {
      // As in a new database, of whose rows nothing is known yet.
      if (!isKnown)
        await client.query(`DELETE FROM pg_statistic WHERE starelid IN (
          'miftah.miftah_keys'::regclass, 'miftah.miftah_events'::regclass)`)
      const plans = []
      for (const statement of sent) plans.push(await plannedNodes(client, statement))
      expect(plans.flatMap(({ scanned }) => scanned)).toEqual([])
      const used = plans.flatMap(({ indexes }) => indexes)
      expect(used).toEqual(expect.arrayContaining([...(INDEXES[name] ?? [])]))
    }
  })

  test('the control: a table scan is seen', async () => {
    const text = 'SELECT count(name)::text FROM miftah.miftah_keys'
    expect((await plannedNodes(db.pool, { text, values: [] })).scanned).toEqual(['miftah_keys'])
  })

  test('64 callers at a time share one round trip for ten of their lookups', async () => {
    const { rows } = await db.pool.query(
      `SELECT encode(hash, 'hex') AS hash FROM miftah.miftah_keys`,
    )
    sent.length = 0
    const caller = async (from: number) => {
      for (let at = from; at < from + 100; at += 1) {
        const { hash } = rows[at]
        expect((await storage.findByHash(hash))?.hash).toBe(hash)
      }
    }
    await Promise.all(Array.from({ length: 64 }, (_, at) => caller(100 * at)))
    expect(sent.length).toBeLessThanOrEqual(640)
  })
})

describe.skipIf(!hasServer)('on MySQL', () => {
  const db = tablesForFile()

  beforeAll(async () => {
    await fill(mysqlStorage(db.pool), 100)
    await db.pool.query('UPDATE miftah_events SET is_pending = 0 WHERE place > 1')
    await db.pool.query(
      'ANALYZE TABLE miftah_keys, miftah_events, miftah_hourly_usage, miftah_usage',
    )
  })

  /** How many rows of an index are a good answer, if more than five. */
  const ROWS: Readonly<Record<string, number>> = {
    ...{ 'a view': 100, events: 200, 'the newest events': 200, 'the usage of all keys': 200 },
    ...{ 'due notices': 30, 'the keys of a person': 50, 'the keys used last': 60 },
  }
  const questions = {
    ...QUESTIONS,
    'the keys used last': (all: KeyStorage) => all.changes?.recentHashes?.(20),
  }

  test.each(Object.entries(questions))('%s', async (name, ask) => {
    const { pool, sent } = watchedPool(db.pool)
    const storage = mysqlStorage(pool, { migrate: false })
    await lookup(storage)
    sent.length = 0
    await ask(storage)
    const most = ROWS[name] ?? (/keys$|keys of/.test(name) ? 200 : 5)
    const reads = sent.filter((sql) => sql.includes('miftah_'))
    expect(reads.length).toBeGreaterThan(0)
    for (const sql of reads) {
      const connection = await db.pool.getConnection()
      await connection.query('FLUSH STATUS')
      await connection.query(sql)
      const [rows] = await connection.query<RowDataPacket[]>(
        "SHOW SESSION STATUS WHERE Variable_name IN ('Handler_read_next', 'Handler_read_prev', 'Handler_read_rnd_next')",
      )
      connection.release()
      const read = rows.reduce((sum, { Value }) => sum + Number(Value), 0)
      expect([sql, read <= 3 * most + 20 ? 0 : read]).toEqual([sql, 0])
    }
  })
})

test.each([
  [0, ''],
  [0, 'ANALYZE'],
  [30, ''],
  [30, 'ANALYZE'],
])(
  'on SQLite, with %i workspaces, no statement scans a table or sorts what grows: %s',
  async (workspaces, sql) => {
    const database = inMemory()
    const texts = new Set<string>()
    const storage = sqliteStorage(
      prepared(database, (text, statement) => {
        texts.add(text)
        return statement
      }),
    )
    await fill(storage, workspaces)
    database.exec(`UPDATE miftah_events SET is_pending = 0; ${sql}`)
    texts.clear()
    for (const ask of Object.values({ ...QUESTIONS, ...CHANGES })) await ask(storage)
    const asked = [...texts].filter((text) => /^(SELECT|INSERT|UPDATE|DELETE)/.test(text))
    const plans = asked.flatMap((text) => {
      const rows = database.prepare(`EXPLAIN QUERY PLAN ${text}`).all()
      return rows.map((row) => [text, String(Object(row).detail)] as const)
    })
    const scans = plans.filter(
      ([text, detail]) =>
        (detail.startsWith('SCAN') && !SMALL.test(detail)) ||
        (detail.includes('TEMP B-TREE') && !SORTED.test(text)) ||
        (detail.endsWith('(workspace_id=?)') && !WHOLE.test(text)),
    )
    expect(scans).toEqual([])
    expect(plans.length).toBeGreaterThan(100)
  },
)

/** What a call gives, single rows, and parts of a page. */
const SMALL =
  /json_each|SCAN r |CONSTANT ROW|SCAN miftah_relay|SCAN (p|g|d|part_\d|counted|\(subquery)|miftah_schema|sqlite_schema|INDEX miftah_events_pending/

/** A page of its parts, and the hours of a workspace. */
const SORTED = /AS part_0\b|GROUP BY h.hour/

/** Counts, the hours of a workspace, and what is deleted of one. */
const WHOLE = /COUNT\(|h\.hour|is_erased/
