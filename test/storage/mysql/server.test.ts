import { beforeAll, describe, expect, test } from 'vitest'
import { mysqlStorage } from '../../../adapters/storage/mysql.ts'
import {
  sampleCreatedEvent,
  sampleRecord,
  sampleRevokeChange,
} from '../../../adapters/storage/testing/samples.ts'
import type { KeyStorage } from '../../../src/storage/index.ts'
import { inserted } from '../../support/inserted.ts'
import { databaseForFile, emptyTables, hasServer } from '../../support/mysql/server.ts'
import { watchedPool } from '../../support/mysql/watched-pool.ts'
import { rejection } from '../../support/world.ts'

const db = databaseForFile()

beforeAll(async () => {
  if (hasServer) await mysqlStorage(db.pool).migrate()
})

/** What a server is like. */
interface Like {
  /** Variables that it says it has, or does not have. */
  readonly variables?: Readonly<Record<string, string | null>>
  /** What it does with a statement in place of the real server. */
  readonly answer?: (sql: string) => unknown
}

/** A pool of a server that says other things of itself than the real one; `sent` are its statements. */
function serverLike({ variables = {}, answer = () => undefined }: Like) {
  const counts = { released: 0, destroyed: 0 }
  const { pool, sent } = watchedPool(db.pool, {
    query: async (query, on) => {
      const own = answer(query.sql)
      if (own !== undefined) return [own, []]
      const [rows, fields] = await on.query(query)
      return [query.sql.startsWith('SHOW VARIABLES') ? withOwn(rows, variables) : rows, fields]
    },
    onEnd: (how) => {
      counts[how] += 1
    },
  })
  return { pool, sent, counts, storage: mysqlStorage(pool) }
}

function withOwn(rows: unknown, variables: NonNullable<Like['variables']>) {
  const others = (rows as { Variable_name: string; Value: string }[]).filter(
    ({ Variable_name: name }) => !(name in variables),
  )
  const own = Object.entries(variables).flatMap(([name, value]) =>
    value === null ? [] : [{ Variable_name: name.toUpperCase(), Value: value }],
  )
  return [...others, ...own]
}

const isUsed = (storage: KeyStorage) => rejection(storage.findById('ws', 'none'))

describe.skipIf(!hasServer)('a server that does not fit', () => {
  test.each([
    ['5.7.44', 'MySQL 5.7.44'],
    ['10.5.29-MariaDB', 'MariaDB 10.5.29'],
    ['5.5.68-mariadb-log', 'MariaDB 5.5.68'],
    ['', 'MySQL '],
  ])('version %j is named', async (version, named) => {
    expect(await isUsed(serverLike({ variables: { version } }).storage)).toMatchObject({
      ...{ code: 'refused', message: `MySQL 8.0 or MariaDB 10.6 is needed, not ${named}` },
    })
  })

  test.each(['8.0.11', '8.4.3', '9.1.0', '10.6.0-MariaDB', '10.11.6-MariaDB-1', '11.4.2-MariaDB'])(
    'version %s fits',
    async (version) => {
      const { storage } = serverLike({ variables: { version } })
      expect(await storage.findById('ws', 'none')).toBeNull()
    },
  )

  test.each([
    [{ character_set_results: 'latin1' }, 'character_set_results must be utf8mb4: set the option'],
    [{ character_set_results: null }, 'character_set_results must be utf8mb4'],
    [{ autocommit: 'OFF' }, 'autocommit must be on'],
    [{ sql_mode: 'NO_ZERO_DATE' }, 'sql_mode must have STRICT_TRANS_TABLES'],
    [{ sql_mode: null }, 'sql_mode must have STRICT_TRANS_TABLES'],
  ])('%j is refused, and diagnosed', async (variables, message) => {
    const { storage } = serverLike({ variables })
    expect(await isUsed(storage)).toMatchObject({
      ...{ code: 'refused', message: expect.stringContaining(message) },
    })
    const { settings = [] } = await storage.diagnose()
    expect(settings.filter((one) => one.includes(message))).toHaveLength(1)
  })
})

describe.skipIf(!hasServer)('what a server is diagnosed to be', () => {
  const SAFE = { innodb_flush_log_at_trx_commit: '1', sync_binlog: '1', log_bin: 'ON' }

  test.each([
    [{}, []],
    [{ innodb_flush_log_at_trx_commit: '2' }, ['innodb_flush_log_at_trx_commit is 2: set it to 1']],
    [{ sync_binlog: '0' }, ['sync_binlog is 0: set it to 1']],
    [{ sync_binlog: '0', log_bin: 'OFF' }, []],
  ])('with %j, %j', async (variables, settings) => {
    const { storage } = serverLike({ variables: { ...SAFE, ...variables } })
    expect((await storage.diagnose()).settings).toEqual(settings)
  })

  test('a version without what a distribution appends', async () => {
    const { storage } = serverLike({ variables: { version: '11.4.2-MariaDB-ubu2404' } })
    expect((await storage.diagnose()).system).toBe('MariaDB 11.4.2')
    const other = serverLike({ variables: { version: '8.0.36-0ubuntu' } })
    expect((await other.storage.diagnose()).system).toBe('MySQL 8.0.36-0ubuntu')
  })

  test.each([
    ['ON', 'replica'],
    ['OFF', 'read_only'],
  ])('read only, with innodb_read_only %s: %s', async (innodb_read_only, mode) => {
    const answer = (sql: string) => (sql.endsWith(' AS yes') ? [{ yes: 0 }] : undefined)
    const { storage } = serverLike({ variables: { innodb_read_only }, answer })
    expect((await storage.diagnose()).mode).toBe(mode)
  })

  test('how many keys and events it has, and how old the oldest event is', async () => {
    await emptyTables(db.pool)
    const { storage } = serverLike({})
    expect(await storage.diagnose()).toMatchObject({
      ...{ schemaVersion: 1, neededVersion: 1, missingRights: [], activeKeyCounts: null },
      ...{ mode: 'primary', pendingEvents: { count: 0, oldestAtMs: null }, sequenceRepair: null },
      keys: { active: 0, paused: 0, retiring: 0, expired: 0, revoked: 0 },
    })
    const record = await inserted(storage)
    const { clockAheadMs, ...facts } = await storage.diagnose()
    expect(Math.abs(clockAheadMs)).toBeLessThan(1_000)
    expect(facts).toMatchObject({
      ...{ pendingEvents: { count: 1, oldestAtMs: record.createdAtMs } },
      keys: { active: 1 },
    })
  })

  test('nothing, where the connection breaks as rights are tried', async () => {
    const answer = (sql: string) => {
      if (!sql.endsWith('LIMIT 0')) return undefined
      throw Object.assign(new Error('broken'), { code: 'EPIPE' })
    }
    const error = await rejection(serverLike({ answer }).storage.diagnose())
    expect(error).toMatchObject({ code: 'unavailable' })
  })

  test('closed to a user who may not read its tables', async () => {
    const answer = (sql: string) => {
      if (!/FROM miftah_(?:keys|events)\b/.test(sql)) return undefined
      throw Object.assign(new Error('denied'), { errno: 1142, sqlState: '42000' })
    }
    const { storage } = serverLike({ answer })
    expect(await storage.diagnose()).toMatchObject({
      ...{ keys: null, pendingEvents: null, schemaVersion: 1 },
      missingRights: expect.arrayContaining(['SELECT ON miftah_keys', 'SELECT ON miftah_events']),
    })
  })
})

describe.skipIf(!hasServer)('sessions that read what is not committed', () => {
  test.each(['transaction_isolation', 'tx_isolation'])('by %s, read what is', async (name) => {
    await emptyTables(db.pool)
    const record = await inserted(mysqlStorage(db.pool))
    const variables = { transaction_isolation: null, tx_isolation: null }
    const { storage, sent } = serverLike({
      variables: { ...variables, [name]: 'READ-UNCOMMITTED' },
    })
    await storage.findByHash(record.hash)
    await storage.findById(record.workspaceId, record.id)
    await storage.revoke(sampleRevokeChange(record))
    const level = 'SET TRANSACTION ISOLATION LEVEL READ COMMITTED'
    for (const text of ['LEFT JOIN miftah_keys', "WHERE id = X'", 'START TRANSACTION']) {
      const at = sent.findIndex((sql) => sql.includes(text))
      expect([text, sent[at - 1]]).toEqual([text, level])
    }
  })

  test('are left alone otherwise', async () => {
    const { storage, sent } = serverLike({})
    await storage.findByHash('0'.repeat(64))
    await inserted(storage)
    expect(sent.filter((sql) => sql.startsWith('SET '))).toEqual([])
  })
})

describe.skipIf(!hasServer)('a server of a cluster', () => {
  const CAUSAL = 'SET STATEMENT wsrep_sync_wait = 1 FOR '
  const variables = { wsrep_on: 'ON' }

  test('waits for the others before it reads, and writes the head of the log', async () => {
    await emptyTables(db.pool)
    const { storage, sent } = serverLike({ variables })
    const record = await inserted(storage)
    await storage.findByHash(record.hash)
    await storage.findById(record.workspaceId, record.id)
    await storage.addUses({ writer: 'w', sequence: 1, uses: [] })
    await storage.events(record.workspaceId, { after: null, limit: 1 })
    sent.length = 0
    await storage.findByHash(record.hash)
    expect(sent).toEqual([expect.stringMatching(`^${CAUSAL}SELECT `)])
    sent.length = 0
    await storage.findById(record.workspaceId, record.id)
    await storage.events(record.workspaceId, { after: null, limit: 1 })
    await storage.releaseEvents('none')
    const reads = sent.filter((sql) => /^SELECT .* AS is_writable$/.test(sql))
    expect(reads).toEqual([])
    expect(sent.filter((sql) => sql.startsWith(CAUSAL))).toHaveLength(4)
    sent.length = 0
    const change = sampleRevokeChange(record)
    expect(await storage.revoke(change)).not.toHaveProperty('sequence')
    expect(sent.join()).not.toContain('LOCK IN SHARE MODE')
    expect(sent).toContain('UPDATE miftah_change_clock SET head = head + 1 WHERE one = 1')
  })

  test.each([
    [() => [{ waits: 0 }], 'this cluster does not wait for causal reads (wsrep_sync_wait)'],
    [() => [], 'this cluster does not wait for causal reads (wsrep_sync_wait)'],
    [
      () => {
        throw new Error('syntax')
      },
      'this cluster has no SET STATEMENT, which causal reads need',
    ],
  ])('that does not wait is refused, %#', async (result, message) => {
    const answer = (sql: string) => (sql.endsWith('AS waits') ? result() : undefined)
    const error = await isUsed(serverLike({ variables, answer }).storage)
    expect(error).toMatchObject({ code: 'refused', message })
  })

  test.each([
    ['ON', []],
    ['OFF', ['wsrep_ready is OFF: this server is not part of its cluster']],
  ])('is diagnosed to be part of it: %s', async (ready, settings) => {
    const answer = (sql: string) => (sql.startsWith('SHOW STATUS') ? [{ Value: ready }] : undefined)
    const safe = { ...variables, innodb_flush_log_at_trx_commit: '1', log_bin: 'OFF' }
    const { storage } = serverLike({ variables: safe, answer })
    expect((await storage.diagnose()).settings).toEqual(settings)
  })
})

describe.skipIf(!hasServer)('a connection', () => {
  test('goes back to the pool, or is closed after an error', async () => {
    const { storage, counts } = serverLike({})
    const record = await inserted(storage)
    const { released } = counts
    expect(counts).toEqual({ released, destroyed: 0 })
    await storage.findById('ws', 'none')
    expect(counts).toEqual({ released: released + 1, destroyed: 0 })
    const other = sampleRecord({ hash: record.hash })
    await rejection(storage.insert(other, null, sampleCreatedEvent(other)))
    expect(counts).toEqual({ released: released + 1, destroyed: 1 })
  })

  test('answers in rows, whatever the options of the pool are', async () => {
    const strange = { rowsAsArray: true, nestTables: true, typeCast: false, dateStrings: true }
    const storage = mysqlStorage(db.openPool(strange))
    const record = await inserted(storage)
    const usage = { uses: 0, lastUsedAtMs: null }
    expect(await storage.findById(record.workspaceId, record.id)).toEqual({ ...record, ...usage })
    expect(await storage.findByHash(record.hash)).toEqual(record)
  })

  test('that answers no rows is broken', async () => {
    const answer = (sql: string) => (sql.includes('LEFT JOIN miftah_keys') ? {} : undefined)
    const lookup = async () => serverLike({ answer }).storage.findByHash('0'.repeat(64))
    expect(await rejection(lookup())).toMatchObject({ code: 'broken_row' })
    const empty = (sql: string) => (sql.includes('LEFT JOIN miftah_keys') ? [] : undefined)
    const other = async () => serverLike({ answer: empty }).storage.findByHash('0'.repeat(64))
    expect(await rejection(other())).toMatchObject({ code: 'not_primary' })
  })

  test('that comes too late goes back, and the call is over', async () => {
    await mysqlStorage(db.pool).findById('ws', 'none')
    let isReleased = false
    let give = () => {}
    const { pool } = watchedPool(
      {
        getConnection: async () => {
          const connection = await db.pool.getConnection()
          await new Promise<void>((resolve) => {
            give = resolve
          })
          return connection
        },
      },
      { onEnd: (how) => (isReleased = how === 'released') },
    )
    const call = { timeoutMs: 50, signal: AbortSignal.timeout(50) }
    const error = await rejection(mysqlStorage(pool, { migrate: false }).findById('ws', 'x', call))
    expect(error).toMatchObject({ name: 'StorageError', code: 'timeout' })
    expect(isReleased).toBe(false)
    give()
    await expect.poll(() => isReleased).toBe(true)
  })
})
