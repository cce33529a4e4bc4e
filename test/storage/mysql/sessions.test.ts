import mysql, { type Pool, type PoolOptions } from 'mysql2/promise'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { mysqlStorage } from '../../../adapters/storage/mysql.ts'
import {
  sampleInsertion,
  sampleRecord,
  sampleRevocation,
  sampleUpdate,
} from '../../../adapters/storage/testing/samples.ts'
import type { KeyRecord, KeyStorage } from '../../../src/storage/index.ts'
import { emptyTables, hasServer, tablesForFile } from '../../support/mysql/server.ts'
import { rejection } from '../../support/world.ts'

const db = tablesForFile()
const OTHER = `${db.name}_other`
const TABLES = ['keys', 'usage', 'workspaces', 'events', 'clock', 'log', 'nodes', 'schema']

beforeAll(async () => {
  if (!hasServer) return
  await db.pool.query(`CREATE DATABASE ${OTHER}`)
  for (const table of TABLES) {
    await db.pool.query(`CREATE TABLE ${OTHER}.miftah_${table} LIKE miftah_${table}`)
  }
})
afterAll(async () => {
  if (hasServer) await db.pool.query(`DROP DATABASE ${OTHER}`)
})

/** What a host does to the sessions of a pool that it shares with the storage. */
interface Host {
  readonly settings?: readonly string[]
  /** What it runs around a read of its own. */
  readonly before?: string
  readonly after?: string
  readonly options?: PoolOptions
  /** What a write says that is not made. Default: each write is made. */
  readonly refusal?: string
}

const HOSTS: Readonly<Record<string, Host>> = {
  // The first, since mysql2 keeps what it has compiled for a kind of row.
  'a typeCast of the pool': {
    options: { typeCast: (field, next) => (field.type === 'LONGLONG' ? 'x' : next()) },
  },
  'nothing at all': {},
  'an open transaction': { before: 'START TRANSACTION' },
  'completion_type CHAIN': {
    ...{
      settings: ['SET SESSION completion_type = 1'],
      before: 'START TRANSACTION',
      after: 'COMMIT',
    },
  },
  'autocommit off': { settings: ['SET SESSION autocommit = 0'] },
  'a read-only session': { settings: ['SET SESSION TRANSACTION READ ONLY'] },
  'READ UNCOMMITTED': { settings: ['SET SESSION TRANSACTION ISOLATION LEVEL READ UNCOMMITTED'] },
  'SERIALIZABLE and autocommit off': {
    settings: [
      'SET SESSION TRANSACTION ISOLATION LEVEL SERIALIZABLE',
      'SET SESSION autocommit = 0',
    ],
    after: 'COMMIT',
  },
  'another database': { settings: [`USE ${OTHER}`] },
  sql_select_limit: { settings: ['SET SESSION sql_select_limit = 1'] },
  'SET NAMES latin1': { settings: ['SET NAMES latin1'] },
  'results without a charset': { settings: ['SET SESSION character_set_results = NULL'] },
  'other ways to read SQL': {
    settings: [
      "SET SESSION sql_mode = CONCAT(@@sql_mode, ',ANSI_QUOTES,NO_BACKSLASH_ESCAPES,PIPES_AS_CONCAT,IGNORE_SPACE')",
      "SET SESSION time_zone = '+05:00'",
      'SET SESSION sql_safe_updates = 1',
      'SET SESSION foreign_key_checks = 0',
      'SET SESSION sql_auto_is_null = 1',
    ],
  },
  'no strict mode': { settings: ["SET SESSION sql_mode = ''"], refusal: 'STRICT_TRANS_TABLES' },
  'unique_checks off': { settings: ['SET SESSION unique_checks = 0'], refusal: 'unique_checks' },
  'other forms of rows': {
    options: { rowsAsArray: true, nestTables: true, dateStrings: true, flags: ['-FOUND_ROWS'] },
  },
}

const CASES = Object.entries(HOSTS).flatMap(([name, host]) =>
  // At the start, a pool names the database of the tables.
  ['later', ...(name === 'another database' ? [] : ['from the start'])].flatMap((when) =>
    [1, 2, 5].map((connections) => ({ name, when, connections, host })),
  ),
)

/** A pool whose host has its way with each session. */
function sharedPool({ settings = [], options }: Host, connectionLimit: number, isAtOnce: boolean) {
  const pool = mysql.createPool({ uri: db.url, connectionLimit, ...options })
  onTestFinished(() => pool.end())
  pool.pool.on('connection', (connection) => {
    if (isAtOnce) for (const sql of settings) connection.query(sql)
  })
  return pool
}

/** The host works on each connection of the pool. */
async function workOfHost(pool: Pool, { settings = [], before, after }: Host, connections: number) {
  const all = await Promise.all(Array.from({ length: connections }, () => pool.getConnection()))
  for (const connection of all) {
    for (const sql of settings) await connection.query(sql)
    if (before !== undefined) await connection.query(before)
    await connection.query(`SELECT * FROM ${db.name}.miftah_keys`)
    if (after !== undefined) await connection.query(after)
    connection.release()
  }
}

const NAME = 'مفتاح 日本 é'

/** The other database has the tables too, as they are now. */
async function copyToOther() {
  for (const table of TABLES) {
    await db.pool.query(`DELETE FROM ${OTHER}.miftah_${table}`)
    // A generated column is not written.
    await db.pool.query(`INSERT IGNORE INTO ${OTHER}.miftah_${table} SELECT * FROM miftah_${table}`)
  }
}

const held = async (storage: KeyStorage, { workspaceId, id }: KeyRecord) => {
  const query = { workspaceId, ids: [id], eventIds: [], countAtMs: null, countUpTo: null }
  const { keys } = await storage.read(query)
  return keys[0] ?? expect.fail('there is no key')
}

describe.skipIf(!hasServer)('a pool that the host uses too', () => {
  test.each(CASES)('with $name $when, on $connections', async ({ when, connections, host }) => {
    await emptyTables(db.pool)
    const own = mysqlStorage(db.pool)
    const pool = sharedPool(host, connections, when === 'from the start')
    const shared = mysqlStorage(pool)
    await shared.changes?.register({ node: 'n', leaseMs: 1_000 })
    const records = Array.from({ length: 2 }, () => sampleRecord({ name: NAME }))
    for (const record of records) await own.write([sampleInsertion(record)])
    const find = () => Promise.all(records.map(({ hash }) => shared.findByHash(hash)))
    expect(await find()).toEqual(records)
    if (host === HOSTS['another database']) await copyToOther()

    await workOfHost(pool, host, connections)
    expect(await find()).toEqual(records)
    for (const record of records) {
      await own.write([sampleRevocation(await held(own, record), 1_800_000_000_000)])
      const found = await find()
      expect(found.filter((one) => one?.id === record.id && one.revokedAtMs === null)).toEqual([])
      expect((await held(shared, record)).record.revokedAtMs).not.toBeNull()
    }
    const renewal = { node: 'n', renewal: 1, answered: 0, applied: 0 }
    const changes = records.map(({ hash }, at) => ({ kind: 'key', hash, sequence: at + 1 }))
    expect(await shared.changes?.renew(renewal)).toMatchObject({ changes })

    await workOfHost(pool, host, connections)
    const [record = sampleRecord()] = records
    const before = await held(shared, record)
    const writing = shared.write([sampleUpdate(before, { note: NAME })])
    if (host.refusal !== undefined) {
      const error = await rejection(writing)
      expect(error).toMatchObject({
        name: 'StorageError',
        message: expect.stringContaining(host.refusal),
      })
      expect(await held(own, record)).toEqual(before)
      return
    }
    expect(await writing).toEqual([{ outcome: 'stored', isLogged: true }])
    expect(await held(own, record)).toMatchObject({
      edition: 3,
      record: { name: NAME, note: NAME },
    })
    const events = await shared.events(record.workspaceId, { after: null, limit: 100 })
    expect(events).toEqual(await own.events(record.workspaceId, { after: null, limit: 100 }))
    expect(events.events).toHaveLength(5)
  })
})
