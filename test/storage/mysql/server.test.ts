import { describe, expect, test } from 'vitest'
import { type MysqlPool, mysqlStorage } from '../../../adapters/storage/mysql.ts'
import {
  sampleInsertion,
  sampleRecord,
  sampleRevocation,
} from '../../../adapters/storage/testing/samples.ts'
import type { KeyStorage } from '../../../src/storage/index.ts'
import { inserted } from '../../support/inserted.ts'
import { emptyTables, hasServer, tablesForFile } from '../../support/mysql/server.ts'
import { watchedPool } from '../../support/mysql/watched-pool.ts'
import { CHANGES, READS } from '../../support/storage-calls.ts'
import { rejection } from '../../support/world.ts'

const db = tablesForFile()

const VIEW = { workspaceId: 'ws', ids: [], eventIds: [], countAtMs: null, countUpTo: null }

/** What a server is like. */
interface Like {
  readonly version?: string
  /** Whether it says that it is part of a cluster. */
  readonly isOfCluster?: boolean
  /** What it does with a statement in place of the real server. */
  readonly answer?: (sql: string) => unknown
}

/** A pool of a server that says other things of itself than the real one; `sent` are its statements. */
function serverLike({ version, isOfCluster = false, answer = () => undefined }: Like) {
  const counts = { released: 0, destroyed: 0 }
  const { pool, sent } = watchedPool(db.pool, {
    query: async ({ sql, ...options }, on) => {
      const own = answer(sql)
      if (own !== undefined) return [own, []]
      const known = version === undefined ? sql : sql.replace('@@version', `'${version}'`)
      const named = known.replaceAll('transaction_isolation', 'tx_isolation')
      return on.query({ sql: isOfCluster ? named.replace('@@wsrep_on', '1') : named, ...options })
    },
    onEnd: (how) => {
      counts[how] += 1
    },
  })
  return { pool, sent, counts, storage: mysqlStorage(pool) }
}

const isUsed = (storage: KeyStorage) => rejection(storage.read(VIEW))

describe('a pool that does not fit', () => {
  const fake = { getConnection: () => {} } as unknown as MysqlPool

  test('is refused by name', () => {
    expect(() => mysqlStorage({} as MysqlPool)).toThrow('getConnection')
    expect(() => mysqlStorage({ ...fake, promise: () => {} } as MysqlPool)).toThrow(
      'pool.promise()',
    )
    expect(() => mysqlStorage(fake, { pollMs: 1 })).toThrow('pollMs')
  })
})

describe.skipIf(!hasServer)('a server', () => {
  test.each([
    ['5.7.44', 'MySQL 5.7.44'],
    ['10.5.29-MariaDB', 'MariaDB 10.5.29'],
    ['5.5.68-mariadb-log', 'MariaDB 5.5.68'],
    ['', 'MySQL '],
  ])('of version %j is refused', async (version, named) => {
    expect(await isUsed(serverLike({ version }).storage)).toMatchObject({
      ...{ code: 'refused', message: `MySQL 8.0 or MariaDB 10.6 is needed, not ${named}` },
    })
  })

  test.each(['8.0.11', '8.4.3', '9.1.0', '10.6.0-MariaDB', '10.11.6-MariaDB-1', '11.4.2-MariaDB'])(
    'of version %s fits',
    async (version) => {
      await emptyTables(db.pool)
      const { storage } = serverLike({ version })
      const record = await inserted(storage)
      expect(await storage.findByHash(record.hash)).toEqual(record)
      expect(await storage.write([sampleRevocation({ record, edition: 1 })])).toMatchObject([
        { outcome: 'stored' },
      ])
    },
  )

  test('that cannot say in a read whether there is a transaction says it before', async () => {
    await emptyTables(db.pool)
    const pool = db.openPool({ connectionLimit: 1 })
    const { pool: other, sent } = watchedPool(pool, {
      query: ({ sql, ...options }, on) =>
        on.query({
          sql: sql
            .replace('@@version', "'8.0.36'")
            .replaceAll('transaction_isolation', 'tx_isolation'),
          ...options,
        }),
    })
    const storage = mysqlStorage(other)
    const record = await inserted(storage)
    await pool.query('START TRANSACTION')
    await pool.query('SELECT * FROM miftah_keys')
    await mysqlStorage(db.pool).write([sampleRevocation({ record, edition: 1 })])
    expect(sent.join()).not.toContain('@@in_transaction')
    expect(await storage.findByHash(record.hash)).toMatchObject({ version: 2 })
  })

  test('that is read only answers nothing, whoever asks', async () => {
    await emptyTables(db.pool)
    const record = await inserted(mysqlStorage(db.pool))
    const { pool } = watchedPool(db.pool, {
      query: ({ sql, ...options }, on) =>
        on.query({ sql: sql.replaceAll('@@global.read_only', '1'), ...options }),
    })
    const storage = mysqlStorage(pool, { migrate: false })
    for (const attempt of [...Object.values({ ...READS, ...CHANGES }), () => storage.migrate()])
      expect(await rejection(Promise.resolve(attempt(storage)))).toMatchObject({
        code: 'not_primary',
      })
    expect((await storage.diagnose()).mode).toBe('read_only')
    expect(await mysqlStorage(db.pool).findByHash(record.hash)).toEqual(record)
  })
})

describe.skipIf(!hasServer)('a server of a cluster', () => {
  const CAUSAL = 'SET STATEMENT wsrep_sync_wait = 1 FOR '

  test.each(Object.entries({ ...READS, ...CHANGES }))(
    'waits for the others before it reads or begins a transaction: %s',
    async (name, call) => {
      const { storage, sent } = serverLike({ isOfCluster: true })
      await storage.read(VIEW)
      sent.length = 0
      await call(storage)
      const at = sent.findIndex((sql) => sql.startsWith('START TRANSACTION'))
      const before = at < 0 ? sent : sent.slice(0, at)
      const reads = before.filter((sql) => /^(?:SET STATEMENT .* FOR )?\s*SELECT/.test(sql))
      expect(reads.length).toBeGreaterThan(0)
      for (const sql of reads) expect(sql).toMatch(new RegExp(`^${CAUSAL}`))
      if (name in READS) expect(before).toEqual(reads)
    },
  )

  test.each([
    [() => [{ waits: 0 }], 'this cluster does not wait for causal reads (wsrep_sync_wait)'],
    [
      () => {
        throw Object.assign(new Error('syntax'), { errno: 1064, sqlState: '42000' })
      },
      'the database refused the statement',
    ],
  ])('that does not wait is refused, %#', async (result, message) => {
    const answer = (sql: string) => (sql.includes(' AS waits') ? result() : undefined)
    expect(await isUsed(serverLike({ isOfCluster: true, answer }).storage)).toMatchObject({
      ...{ code: 'refused', message: expect.stringContaining(message) },
    })
  })

  test('outside a cluster needs no such variable', async () => {
    const answer = (sql: string) => {
      if (!sql.includes('@@wsrep_on')) return undefined
      throw Object.assign(new Error('unknown'), { errno: 1193, sqlState: 'HY000' })
    }
    const { storage, sent } = serverLike({ answer })
    await storage.read(VIEW)
    expect(sent.join()).not.toContain(CAUSAL)
  })
})

describe.skipIf(!hasServer)('what a server is diagnosed to be', () => {
  test('a version without what a distribution appends', async () => {
    const { storage } = serverLike({ version: '11.4.2-MariaDB-ubu2404' })
    expect((await storage.diagnose()).system).toBe('MariaDB 11.4.2')
    const other = serverLike({ version: '8.0.36-0ubuntu' })
    expect((await other.storage.diagnose()).system).toBe('MySQL 8.0.36-0ubuntu')
  })

  test.each([
    [1, 'replica'],
    [0, 'read_only'],
  ])('read only, with innodb_read_only %i: %s', async (isReplica, mode) => {
    const readOnly = (sql: string) =>
      sql
        .replaceAll('@@global.read_only', '1')
        .replaceAll('@@global.innodb_read_only', `${isReplica}`)
    const { pool } = watchedPool(db.pool, {
      query: ({ sql, ...options }, on) => on.query({ sql: readOnly(sql), ...options }),
    })
    expect((await mysqlStorage(pool).diagnose()).mode).toBe(mode)
  })

  test('closed to a user who may not read its tables', async () => {
    const answer = (sql: string) => {
      if (!/FROM \S+miftah_(?:keys|events)\b/.test(sql)) return undefined
      throw Object.assign(new Error('denied'), { errno: 1142, sqlState: '42000' })
    }
    expect(await serverLike({ answer }).storage.diagnose()).toMatchObject({
      ...{ pendingEvents: null, schemaVersion: 1 },
      missingRights: ['SELECT ON miftah_keys', 'SELECT ON miftah_events'],
    })
  })
})

describe.skipIf(!hasServer)('a connection', () => {
  test('goes back to the pool, or is closed after an error', async () => {
    const isBroken = (sql: string) => {
      if (!sql.startsWith('SELECT id FROM')) return undefined
      throw Object.assign(new Error('no'), { errno: 1064, sqlState: '42000' })
    }
    const { storage, counts } = serverLike({ answer: isBroken })
    const record = await inserted(storage)
    const { released } = counts
    expect(counts).toEqual({ released, destroyed: 0 })
    await storage.read(VIEW)
    expect(await storage.write([sampleInsertion(record)])).toEqual([{ outcome: 'refused' }])
    expect(counts).toEqual({ released: released + 2, destroyed: 0 })
    await rejection(storage.read({ ...VIEW, eventIds: ['e'] }))
    expect(counts).toEqual({ released: released + 2, destroyed: 1 })
  })

  test('that comes too late goes back, and the call is over', async () => {
    const ends: string[] = []
    let isSlow = false
    let give = () => {}
    const getConnection = async () => {
      const connection = await db.pool.getConnection()
      if (isSlow) await new Promise<void>((resolve) => (give = resolve))
      return connection
    }
    const { pool } = watchedPool({ getConnection }, { onEnd: (how) => ends.push(how) })
    const storage = mysqlStorage(pool, { migrate: false })
    await storage.read(VIEW)
    isSlow = true
    ends.length = 0
    const call = { timeoutMs: 50, signal: AbortSignal.timeout(50) }
    const error = await rejection(storage.read(VIEW, call))
    expect(error).toMatchObject({ name: 'StorageError', code: 'timeout' })
    expect(ends).toEqual([])
    give()
    await expect.poll(() => ends).toEqual(['released'])
  })

  test('is used by at most four writes at once', async () => {
    await emptyTables(db.pool)
    let now = 0
    let most = 0
    const { pool } = watchedPool(db.pool, {
      query: async (query, on) => {
        if (query.sql.startsWith('START TRANSACTION')) most = Math.max(most, ++now)
        const answer = await on.query(query)
        if (query.sql.startsWith('COMMIT')) now -= 1
        return answer
      },
    })
    const storage = mysqlStorage(pool, { migrate: false })
    const steps = Array.from({ length: 12 }, (_, at) =>
      sampleInsertion(sampleRecord({ workspaceId: `ws_${at}` })),
    )
    const outcomes = await storage.write(steps)
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(steps.map(() => 'stored'))
    expect(most).toBeLessThanOrEqual(4)
    expect(most).toBeGreaterThan(1)
  })
})
