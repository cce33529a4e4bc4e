import type { RowDataPacket } from 'mysql2'
import { beforeAll, describe, expect, test } from 'vitest'
import { mysqlStorage } from '../../../adapters/storage/mysql.ts'
import type { KeyStorage } from '../../../src/storage/index.ts'
import { databaseForFile, hasServer } from '../../support/mysql/server.ts'
import { watchedPool } from '../../support/mysql/watched-pool.ts'

const db = databaseForFile()

/** SQL for the numbers from 0 to 9,999. */
const NUMBERS = (() => {
  const digit = Array.from({ length: 10 }, (_, at) => `SELECT ${at} AS d`).join(' UNION ALL ')
  return `SELECT a.d + 10 * b.d + 100 * c.d + 1000 * e.d AS at
    FROM (${digit}) AS a, (${digit}) AS b, (${digit}) AS c, (${digit}) AS e`
})()

beforeAll(async () => {
  if (!hasServer) return
  await mysqlStorage(db.pool).migrate()
  const nth = 'n.at'
  await db.pool.query(`INSERT INTO miftah_keys (hash, id, workspace_id, place, edition, name,
      environment, scopes, resources, networks, prefix, creator_id, creator_name, created_at_ms,
      version, updated_at_ms, metadata, written_at_ms, expires_at_ms, revoked_at_ms, notice_at_ms)
    SELECT UNHEX(SHA2(${nth}, 256)), CONCAT('key_', ${nth}), CONCAT('ws_', ${nth} MOD 100), ${nth}, 1,
      'n', 'live', '["a"]', '{}', '"any"', 'svc_live_abc', CONCAT('u_', ${nth} MOD 500), 'U', 1, 1, 1, '{}', 0,
      1700000000000 + ${nth}, IF(${nth} MOD 3 = 0, 1600000000000, NULL), 1700000000000 + ${nth}
    FROM (${NUMBERS}) AS n`)
  await db.pool.query(`INSERT INTO miftah_events (workspace_id, place, position, id, key_id, type,
      at_ms, actor_id, actor_name, data, is_pending, written_at_ms)
    SELECT CONCAT('ws_', ${nth} MOD 100), ${nth}, ${nth}, CONCAT('evt_', ${nth}), CONCAT('key_', ${nth}),
      'api_key.created', ${nth}, CONCAT('u_', ${nth} MOD 500), 'U', '{"name":"n","environment":"live","scopes":[],"prefix":"p"}', ${nth} MOD 2, 0
    FROM (${NUMBERS}) AS n`)
  await db.pool.query(`INSERT INTO miftah_hourly_usage (key_id, hour, outcome, count)
    SELECT CONCAT('key_', ${nth}), ${nth} DIV 100, 0, 1 FROM (${NUMBERS}) AS n`)
  await db.pool.query('INSERT INTO miftah_usage SELECT id, 1, 1 FROM miftah_keys')
  await db.pool.query('ANALYZE TABLE miftah_keys, miftah_events, miftah_hourly_usage, miftah_usage')
})

const FILTERS = { status: null, environment: null, atMs: 1_600_000_000_000 }
const PAGE = { ...FILTERS, after: null, limit: 20, countUpTo: 100 }
const VIEW = { workspaceId: 'ws_1', ids: ['key_1'], eventIds: ['evt_1'], countUpTo: 100 }

/** What a storage is asked, and how many rows of an index are a good answer. */
const QUESTIONS: Readonly<Record<string, readonly [(storage: KeyStorage) => unknown, number]>> = {
  findByHash: [(on) => on.findByHash('f'.repeat(64)), 1],
  read: [(on) => on.read({ ...VIEW, countAtMs: 1_600_000_000_000 }), 100],
  list: [(on) => on.list('ws_1', PAGE), 200],
  'list of some statuses': [
    (on) => on.list('ws_1', { ...PAGE, status: ['active', 'revoked'] }),
    200,
  ],
  events: [(on) => on.events('ws_1', { after: 10, limit: 20, newestFirst: true }), 200],
  'events of a key': [(on) => on.events('ws_1', { after: null, limit: 20, keyId: 'key_1' }), 5],
  usage: [(on) => on.usage('ws_1', { id: 'key_1', fromHour: 0, toHour: 99 }), 5],
  'usage of all keys': [(on) => on.usage('ws_1', { id: null, fromHour: 0, toHour: 99 }), 200],
  due: [(on) => on.due({ atMs: 1_700_000_000_010, limit: 20 }), 30],
  keysOfPerson: [(on) => on.keysOfPerson({ personId: 'u_1', limit: 20 }), 50],
  'warm start': [(on) => on.changes?.recentHashes?.(20), 60],
}

describe.skipIf(!hasServer)('a statement among 10,000 rows', () => {
  test.each(Object.keys(QUESTIONS))('%s reads along an index', async (name) => {
    const { pool, sent } = watchedPool(db.pool)
    const storage = mysqlStorage(pool, { migrate: false })
    await storage.read({ ...VIEW, countAtMs: null })
    const [ask, most] = QUESTIONS[name] ?? expect.fail(name)
    sent.length = 0
    await ask(storage)
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
