import mysql from 'mysql2/promise'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { mysqlStorage } from '../../../adapters/storage/mysql.ts'
import {
  sampleInsertion,
  sampleRecord,
  sampleRevocation,
} from '../../../adapters/storage/testing/samples.ts'
import type { KeyRecord, KeyStorage, WorkspaceWrite } from '../../../src/storage/index.ts'
import { inserted } from '../../support/inserted.ts'
import { databaseForFile, emptyTables, hasServer, SERVER_URL } from '../../support/mysql/server.ts'
import { watchedPool } from '../../support/mysql/watched-pool.ts'
import { findById, viewOf } from '../../support/stored.ts'
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
  const { port } = new URL(SERVER_URL)
  const proxy = await openTcpProxy('127.0.0.1', Number(port || 3306), () => true)
  const url = new URL(db.url)
  url.port = String(proxy.port)
  const pool = mysql.createPool(url.href)
  onTestFinished(async () => {
    await proxy.close()
    await pool.end().catch(() => undefined)
  })
  return { proxy, storage: mysqlStorage(pool) }
}

const revocation = (record: KeyRecord) => sampleRevocation({ record, edition: 1 })

/** Whether a write was stored whole, or nothing of it. */
async function isStored(storage: KeyStorage, write: WorkspaceWrite): Promise<boolean> {
  const { workspaceId, keys, events } = write
  const [ids, eventIds] = [keys.map(({ record }) => record.id), events.map(({ id }) => id)]
  const view = await storage.read(viewOf(workspaceId, ids, eventIds))
  const isChanged = view.keys[0]?.record.version === keys[0]?.record.version
  expect(view.eventIds).toEqual(isChanged ? eventIds : [])
  return isChanged
}

describe.skipIf(!hasServer)('a connection that is lost', () => {
  test.each<[Cut, boolean]>([
    ['before_it_is_sent', false],
    ['before_the_answer', true],
  ])('at COMMIT, %s: the outcome is unknown, and the same write finds out', async (cut, isKept) => {
    const { proxy, storage } = await proxied()
    const record = await inserted(storage)
    const write = revocation(record)
    const done = proxy.cutNext('COMMIT AND', cut)
    const error = await rejection(storage.write([write], call(5_000)))
    await done
    expect(error).toMatchObject({ name: 'StorageError', code: 'outcome_unknown' })
    await expect.poll(() => isStored(storage, write)).toBe(isKept)
    const outcome = isKept ? 'refused' : 'stored'
    expect(await storage.write([write])).toMatchObject([{ outcome }])
    expect(await isStored(storage, write)).toBe(true)
  })

  test.each([
    'SET TRANSACTION',
    'START TRANSACTION',
    'miftah_workspaces',
    'miftah_keys',
    'miftah_events',
  ])('before COMMIT, at %s, nothing is stored, and the write is tried again', async (text) => {
    for (const cut of ['before_it_is_sent', 'before_the_answer'] as const) {
      const { proxy, storage } = await proxied()
      const write = revocation(await inserted(storage))
      const done = proxy.cutNext(text, cut)
      expect(await storage.write([write], call(5_000))).toMatchObject([{ outcome: 'stored' }])
      await done
      expect(await isStored(storage, write)).toBe(true)
    }
  })

  test('without an answer before COMMIT, the time is up and nothing is stored', async () => {
    const { proxy, storage } = await proxied()
    const record = await inserted(storage)
    proxy.use({ kind: 'black_hole' })
    const error = await rejection(storage.write([revocation(record)], call(600)))
    expect(error).toMatchObject({ name: 'StorageError', code: 'timeout' })
    proxy.cutAll()
    proxy.use({ kind: 'pass' })
    expect(await storage.findByHash(record.hash, call(5_000))).toEqual(record)
  })

  test('in a list, the outcome is unknown unless each member has failed', async () => {
    const { proxy, storage } = await proxied()
    const writes = ['a', 'b'].map((workspaceId) => sampleInsertion(sampleRecord({ workspaceId })))
    await storage.read(viewOf('a'))
    proxy.use({ kind: 'refuse' })
    expect(await rejection(storage.write(writes, call(2_000)))).toMatchObject({
      code: 'unavailable',
    })
    proxy.use({ kind: 'pass' })
    const done = proxy.cutNext('COMMIT AND', 'before_it_is_sent')
    const error = await rejection(storage.write(writes, call(5_000)))
    await done
    expect(error).toMatchObject({ code: 'outcome_unknown' })
    const stored = await Promise.all(writes.map((write) => isStored(storage, write)))
    expect(stored.filter(Boolean)).toHaveLength(1)
  })

  test('a change that can be repeated happens once', async () => {
    const { proxy, storage } = await proxied()
    const { id, workspaceId } = await inserted(storage)
    const done = proxy.cutNext('COMMIT AND', 'before_the_answer')
    const uses = [{ id, uses: 2, lastUsedAtMs: 5 }]
    await storage.addUses({ writer: 'w', sequence: 1, uses }, call(5_000))
    await done
    expect(await findById(storage, workspaceId, id)).toMatchObject({ uses: 2 })
  })
})

describe.skipIf(!hasServer)('a write that loses to another one', () => {
  const deadlock = { errno: 1213, sqlState: '40001', code: 'ER_LOCK_DEADLOCK' }

  test.each([
    [/INSERT INTO .*miftah_workspaces/, deadlock, 'busy'],
    [/^UPDATE \(SELECT/, deadlock, 'busy'],
    [/INSERT INTO .*miftah_events/, deadlock, 'busy'],
    [/^COMMIT/, deadlock, 'busy'],
    [/INSERT INTO .*miftah_events/, { errno: 1205, sqlState: 'HY000' }, 'unavailable'],
    [/INSERT INTO .*miftah_events/, { errno: 1047, sqlState: '08S01' }, 'unavailable'],
    [/^COMMIT/, { errno: 1205, sqlState: 'HY000' }, 'outcome_unknown'],
    [/INSERT INTO .*miftah_events/, { errno: 4025, sqlState: '23000' }, 'unstorable_value'],
    [/INSERT INTO .*miftah_events/, { errno: 1062, sqlState: '23000' }, null],
    [/UPDATE .*miftah_clock/, { errno: 1062, sqlState: '23000' }, 'unstorable_value'],
  ])('at %s with %j is %s', async (text, fields, code) => {
    await emptyTables(db.pool)
    const record = await inserted(mysqlStorage(db.pool))
    const ends: string[] = []
    const { pool } = watchedPool(db.pool, {
      query: (query, on) =>
        text.test(query.sql)
          ? Promise.reject(Object.assign(new Error('no'), fields))
          : on.query(query),
      onEnd: (how) => ends.push(how),
    })
    const storage = mysqlStorage(pool, { migrate: false })
    await storage.read(viewOf('w'))
    ends.length = 0
    const answer = await storage.write([revocation(record)], call(3_000)).catch((error) => error)
    if (code === null) expect(answer).toEqual([{ outcome: 'refused' }])
    else expect(answer).toMatchObject({ name: 'StorageError', code })
    // A connection goes back only from a transaction that has ended.
    expect(new Set(ends)).toEqual(new Set([code === null ? 'released' : 'destroyed']))
    expect(await mysqlStorage(db.pool).findByHash(record.hash)).toEqual(record)
  })
})
