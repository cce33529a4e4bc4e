import mysql from 'mysql2/promise'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type MysqlPool, mysqlStorage, StorageError } from '../../../adapters/storage/mysql.ts'
import {
  sampleCreatedEvent,
  sampleRecord,
  sampleRevokeChange,
} from '../../../adapters/storage/testing/samples.ts'
import { inserted } from '../../support/inserted.ts'
import { databaseForFile, emptyTables, hasServer, SERVER_URL } from '../../support/mysql/server.ts'
import { watchedPool } from '../../support/mysql/watched-pool.ts'
import { type Cut, openTcpProxy } from '../../support/tcp-proxy.ts'
import { rejection } from '../../support/world.ts'

const db = databaseForFile()

beforeAll(async () => {
  if (hasServer) await mysqlStorage(db.pool).migrate()
})

const call = (timeoutMs: number) => ({ timeoutMs, signal: AbortSignal.timeout(timeoutMs) })

/** A storage behind a proxy. */
async function proxied() {
  await emptyTables(db.pool)
  const proxy = await openTcpProxy(
    '127.0.0.1',
    Number(new URL(SERVER_URL).port || 3306),
    () => true,
  )
  const url = new URL(db.url)
  url.port = String(proxy.port)
  const pool = mysql.createPool(url.href)
  onTestFinished(async () => {
    await proxy.close()
    await pool.end().catch(() => undefined)
  })
  return { proxy, storage: mysqlStorage(pool) }
}

describe.skipIf(!hasServer)('a connection that is lost', () => {
  test.each<Cut>(['before_it_is_sent', 'before_the_answer'])(
    'at COMMIT, %s: the change happens once, and the call finds out',
    async (cut) => {
      const { proxy, storage } = await proxied()
      const record = await inserted(storage)
      const done = proxy.cutNext('COMMIT', cut)
      const revocation = await storage.revoke(sampleRevokeChange(record), call(5_000))
      await done
      expect(revocation).toMatchObject({ record: { revokedAtMs: expect.any(Number) } })
      const events = await storage.events(record.workspaceId, { after: null, limit: 10 })
      expect(events?.map(({ type }) => type)).toEqual(['api_key.created', 'api_key.revoked'])
    },
  )

  test('without an answer the outcome is unknown, and before COMMIT nothing has changed', async () => {
    const { proxy, storage } = await proxied()
    const record = await inserted(storage)
    proxy.use({ kind: 'black_hole' })
    const error = await rejection(storage.revoke(sampleRevokeChange(record), call(600)))
    expect(error).toMatchObject({ name: 'StorageError', code: 'timeout' })
    proxy.cutAll()
    proxy.use({ kind: 'pass' })
    expect(await storage.findByHash(record.hash, call(5_000))).toMatchObject({ revokedAtMs: null })
  })

  test('a server that refuses is an outage, which ends by itself', async () => {
    const { proxy, storage } = await proxied()
    const record = await inserted(storage)
    proxy.use({ kind: 'refuse' })
    proxy.cutAll()
    const error = await rejection(Promise.resolve(storage.findByHash(record.hash, call(3_000))))
    expect(error).toMatchObject({ code: 'unavailable' })
    proxy.use({ kind: 'pass' })
    expect(await storage.findByHash(record.hash, call(5_000))).toMatchObject({ id: record.id })
  })
})

describe.skipIf(!hasServer)('a transaction that conflicts', () => {
  test.each(['UPDATE miftah_keys', 'INSERT INTO miftah_events', 'COMMIT'])(
    'at %s ends there, and is repeated as a whole',
    async (text) => {
      await emptyTables(db.pool)
      const record = await inserted(mysqlStorage(db.pool))
      let conflicts = 1
      const { pool, sent } = watchedPool(db.pool, {
        query: async (query, on) => {
          if (!query.sql.startsWith(text) || conflicts === 0) return on.query(query)
          conflicts -= 1
          await on.query({ ...query, sql: 'ROLLBACK' })
          throw Object.assign(new Error('Deadlock found'), {
            ...{ errno: 1213, sqlState: '40001', code: 'ER_LOCK_DEADLOCK' },
          })
        },
      })
      const storage = mysqlStorage(pool)
      expect(await storage.revoke(sampleRevokeChange(record))).toMatchObject({ outcome: 'revoked' })
      const at = sent.findIndex((sql) => sql.startsWith(text))
      expect(sent[at + 1]).toBe('START TRANSACTION')
      const events = await storage.events(record.workspaceId, { after: null, limit: 10 })
      expect(events).toHaveLength(2)
    },
  )
})

describe.skipIf(!hasServer)('a server that does not fit', () => {
  test('a server that is read only answers nothing', async () => {
    await emptyTables(db.pool)
    const readOnly = watchedPool(db.pool, {
      query: (query, on) =>
        on.query({ ...query, sql: query.sql.replaceAll('@@global.read_only', '1') }),
    })
    const record = await inserted(mysqlStorage(db.pool))
    const storage = mysqlStorage(readOnly.pool)
    const after = { after: null, limit: 1 }
    for (const attempt of [
      async () => storage.findByHash(record.hash),
      () => storage.findById(record.workspaceId, record.id),
      () => storage.events(record.workspaceId, after),
      () => storage.revoke(sampleRevokeChange(record)),
      () => storage.addUses({ writer: 'w', sequence: 1, uses: [] }),
    ]) {
      expect(await rejection(attempt())).toMatchObject({ code: 'not_primary' })
    }
    expect((await storage.diagnose()).mode).toBe('read_only')
  })

  test.each([
    ["SET SESSION sql_mode = ''", 'sql_mode'],
    ['SET NAMES latin1', 'utf8mb4'],
    ['SET SESSION autocommit = 0', 'autocommit'],
  ])('sessions with %s are refused', async (setting, what) => {
    const pool = db.openPool({ connectionLimit: 1 })
    await pool.query(setting)
    const error = await rejection(mysqlStorage(pool).findById('ws', 'none'))
    expect(error).toBeInstanceOf(StorageError)
    expect(error).toMatchObject({ code: 'refused', message: expect.stringContaining(what) })
  })

  test('no message quotes a value', async () => {
    await emptyTables(db.pool)
    const storage = mysqlStorage(db.pool)
    const record = await inserted(storage)
    const other = sampleRecord({ hash: record.hash })
    const error = await rejection(storage.insert(other, null, sampleCreatedEvent(other)))
    expect(error).toMatchObject({ code: 'refused', cause: { errno: 1062 } })
    const { message, cause } = error as Error
    const shown = `${message} ${(cause as Error).message} ${JSON.stringify(cause)}`
    expect(shown.toLowerCase()).not.toContain(record.hash.slice(0, 8))
    expect(shown).not.toContain(other.id)
  })

  test('pools that do not fit are refused by name', () => {
    expect(() => mysqlStorage({} as MysqlPool)).toThrow('getConnection')
    const callbacks = { getConnection: () => {}, promise: () => {} } as unknown as MysqlPool
    expect(() => mysqlStorage(callbacks)).toThrow('pool.promise()')
    expect(() => mysqlStorage(db.pool, { pollMs: 1 })).toThrow('pollMs')
  })
})
