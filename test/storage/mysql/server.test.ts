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

/** What a server answers in place of the real one: words for its variables, or all that a statement gets. */
interface Like {
  readonly says?: Readonly<Record<string, string>>
  readonly answer?: (sql: string) => unknown
}

/** A storage on a server that says other things of itself than the real one; `sent` are its statements. */
function serverLike({ says = {}, answer = () => undefined }: Like, from = db.pool) {
  const counts = { released: 0, destroyed: 0 }
  const words = Object.entries({ transaction_isolation: 'tx_isolation', ...says })
  const { pool, sent } = watchedPool(from, {
    query: async ({ sql, ...options }, on) => {
      const own = answer(sql)
      if (own !== undefined) return [own, []]
      const said = words.reduce((text, [name, word]) => text.replaceAll(name, word), sql)
      return on.query({ sql: said, ...options })
    },
    onEnd: (how) => {
      counts[how] += 1
    },
  })
  return { sent, counts, storage: mysqlStorage(pool) }
}

const ofVersion = (version: string) => ({ says: { '@@version': `'${version}'` } })
const READ_ONLY = { says: { '@@global.read_only': '1' } }
const CLUSTER = { '@@wsrep_on': '1' }

/** Fails what a server does not know or allow. */
function refused(errno: number, sqlState = '42000'): never {
  throw Object.assign(new Error('refused'), { errno, sqlState })
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
    expect(await isUsed(serverLike(ofVersion(version)).storage)).toMatchObject({
      ...{ code: 'refused', message: `MySQL 8.0 or MariaDB 10.6 is needed, not ${named}` },
    })
  })

  test.each(['8.0.11', '8.4.3', '9.1.0', '10.6.0-MariaDB', '10.11.6-MariaDB-1', '11.4.2-MariaDB'])(
    'of version %s fits',
    async (version) => {
      await emptyTables(db.pool)
      const { storage } = serverLike(ofVersion(version))
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
    const { storage, sent } = serverLike(ofVersion('8.0.36'), pool)
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
    const { storage } = serverLike(READ_ONLY)
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
      const { storage, sent } = serverLike({ says: CLUSTER })
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
    [() => refused(1064), 'the database refused the statement'],
  ])('that does not wait is refused, %#', async (result, message) => {
    const answer = (sql: string) => (sql.includes(' AS waits') ? result() : undefined)
    expect(await isUsed(serverLike({ says: CLUSTER, answer }).storage)).toMatchObject({
      ...{ code: 'refused', message: expect.stringContaining(message) },
    })
  })

  test('outside a cluster needs no such variable', async () => {
    const answer = (sql: string) =>
      sql.includes('@@wsrep_on') ? refused(1193, 'HY000') : undefined
    const { storage, sent } = serverLike({ answer })
    await storage.read(VIEW)
    expect(sent.join()).not.toContain(CAUSAL)
  })
})

describe.skipIf(!hasServer)('what a server is diagnosed to be', () => {
  test('a version without what a distribution appends', async () => {
    const { storage } = serverLike(ofVersion('11.4.2-MariaDB-ubu2404'))
    expect((await storage.diagnose()).system).toBe('MariaDB 11.4.2')
    const other = serverLike(ofVersion('8.0.36-0ubuntu'))
    expect((await other.storage.diagnose()).system).toBe('MySQL 8.0.36-0ubuntu')
  })

  test.each([
    [1, 'replica'],
    [0, 'read_only'],
  ])('read only, with innodb_read_only %i: %s', async (isReplica, mode) => {
    const says = { ...READ_ONLY.says, '@@global.innodb_read_only': String(isReplica) }
    expect((await serverLike({ says }).storage.diagnose()).mode).toBe(mode)
  })

  test('closed to a user who may not read its tables', async () => {
    const answer = (sql: string) =>
      /FROM \S+miftah_(?:keys|events)\b/.test(sql) ? refused(1142) : undefined
    expect(await serverLike({ answer }).storage.diagnose()).toMatchObject({
      ...{ pendingEvents: null, schemaVersion: 1 },
      missingRights: ['SELECT ON miftah_keys', 'SELECT ON miftah_events'],
    })
  })
})

describe.skipIf(!hasServer)('a connection', () => {
  test('goes back to the pool, or is closed after an error', async () => {
    const answer = (sql: string) => (sql.startsWith('SELECT id FROM') ? refused(1064) : undefined)
    const { storage, counts } = serverLike({ answer })
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
