import { beforeAll, describe, expect, test } from 'vitest'
import { deadlineOf } from '../../../adapters/storage/lib/deadline.ts'
import { KeptRecords } from '../../../adapters/storage/lib/kept-records.ts'
import { KEY_COLUMNS } from '../../../adapters/storage/lib/key-columns.ts'
import { finderOn } from '../../../adapters/storage/lib/mysql/finder.ts'
import { readinessOf } from '../../../adapters/storage/lib/mysql/readiness.ts'
import { runnerOn } from '../../../adapters/storage/lib/mysql/runner.ts'
import { mysqlStorage } from '../../../adapters/storage/mysql.ts'
import type { KeyRecord } from '../../../src/storage/index.ts'
import { inserted } from '../../support/inserted.ts'
import { databaseForFile, emptyTables, hasServer } from '../../support/mysql/server.ts'
import { watchedPool } from '../../support/mysql/watched-pool.ts'
import { rejection } from '../../support/world.ts'

const db = databaseForFile()

beforeAll(async () => {
  if (hasServer) await mysqlStorage(db.pool).migrate()
})

/** Some keys, and a way to find several at once, which counts its statements. */
async function open(...keys: readonly Partial<KeyRecord>[]) {
  await emptyTables(db.pool)
  const storage = mysqlStorage(db.pool)
  const records: KeyRecord[] = []
  for (const fields of keys) records.push(await inserted(storage, fields))
  const server = { isReadOnly: false, statements: 0 }
  const { pool } = watchedPool(db.pool, {
    query: ({ sql, ...options }, on) => {
      server.statements += 1
      const readOnly = sql.replaceAll('@@global.read_only', '1')
      return on.query({ sql: server.isReadOnly ? readOnly : sql, ...options })
    },
  })
  const readiness = readinessOf(pool, false)
  await readiness.ensure(deadlineOf(undefined))
  const findAll = finderOn(runnerOn(pool, readiness), new KeptRecords())
  const find = async (...hashes: readonly string[]) => {
    server.statements = 0
    const found = await findAll(hashes, deadlineOf(undefined), undefined)
    const answers = hashes.map((hash) => found.get(hash) ?? null)
    return { found: answers, statements: server.statements }
  }
  return { storage, records, hashes: records.map(({ hash }) => hash), find, server }
}

const byHand = (column: string, value: unknown) =>
  db.pool.query(`UPDATE miftah_keys SET ${column} = ?`, [value])

/** A key for which each column but one may change alone. */
const PAUSED: Partial<KeyRecord> = {
  ...{ revokedAtMs: 5, expiresAtMs: 9, pausedAtMs: 4, pausedBy: { id: 'u', name: 'U' } },
  ...{ note: 'n', replaces: 'key_a', replacedBy: 'key_b', format: 'f' },
}
const RETIRING: Partial<KeyRecord> = { replacedBy: 'key_b', retiresAtMs: 5 }

/** Other values for each column. Where it may be empty, a text that looks so, and then nothing. */
const OTHERS: Readonly<Record<string, readonly unknown[]>> = {
  ...{ id: ['key_c'], workspace_id: ['ws_2'], name: ['CRM sync '], environment: ['test'] },
  ...{
    note: ["n'", 'NULL', null],
    format: ['NULL'],
    replaces: ['NULL', null],
    prefix: ['svc_live_ab2'],
  },
  ...{
    scopes: ['["contacts.read"]'],
    resources: ['{"project":["p"]}'],
    networks: ['["10.0.0.0/8"]'],
  },
  ...{ metadata: ['{"a":"b"}'], creator_id: ['u_2'], creator_name: ['سامي'], created_at_ms: [1] },
  ...{ revoked_at_ms: [6], replaced_by: ['NULL', null], version: [2], updated_at_ms: [1] },
  ...{ expires_at_ms: [8, null], paused_at_ms: [5], paused_by_id: ['v'], paused_by_name: ['u'] },
  retires_at_ms: [6],
}

describe.skipIf(!hasServer)('a lookup', () => {
  test.each(KEY_COLUMNS.map(({ name }) => name))(
    'sees a change of %s by hand at once',
    async (column) => {
      const { storage, hashes } = await open(column === 'retires_at_ms' ? RETIRING : PAUSED)
      const [hash = ''] = hashes
      let last = await storage.findByHash(hash)
      for (const value of OTHERS[column] ?? [undefined]) {
        expect(await storage.findByHash(hash)).toBe(last)
        await byHand(column, value)
        const seen = await storage.findByHash(hash)
        expect(seen).not.toEqual(last)
        expect(seen).toEqual(await mysqlStorage(db.pool).findByHash(hash))
        last = seen
      }
    },
  )

  test('sees at once that a hash has become that of another key, and that one is gone', async () => {
    const { records, hashes, find } = await open({}, {})
    const [first = '', second = ''] = hashes
    expect((await find(...hashes)).found).toEqual(records)
    await db.pool.query('DELETE FROM miftah_keys WHERE id = ?', [records[0]?.id])
    await byHand('hash', Buffer.from(first, 'hex'))
    const moved = { ...records[1], hash: first }
    expect((await find(first, second)).found).toEqual([moved, null])
    expect((await find(second)).found).toEqual([null])
    expect((await find(first)).found).toEqual([moved])
  })

  test('of keys that have not changed is one statement, which reads no more than that', async () => {
    const { records, hashes, find } = await open({}, {})
    const [known = '', changed = ''] = hashes
    const unknown = 'f'.repeat(64)
    expect(await find(unknown)).toEqual({ found: [null], statements: 1 })
    expect(await find(known)).toEqual({ found: [records[0]], statements: 1 })
    expect(await find(known, known, unknown)).toEqual({
      ...{ found: [records[0], records[0], null], statements: 1 },
    })
    expect(await find(known, changed)).toEqual({ found: records, statements: 2 })
    expect(await find(known, changed)).toEqual({ found: records, statements: 1 })
  })

  test('is refused once the server is read only, whatever was read before', async () => {
    const { hashes, find, server } = await open({})
    await find(...hashes)
    server.isReadOnly = true
    expect(await rejection(find(...hashes))).toMatchObject({ code: 'not_primary' })
  })

  test('of an invalid row fails alone', async () => {
    const { records, hashes, find } = await open({}, {})
    await db.pool.query("UPDATE miftah_keys SET creator_id = X'FF' WHERE id = ?", [records[0]?.id])
    for (let time = 0; time < 2; time += 1) {
      const { found } = await find(...hashes)
      expect(found[0]).toMatchObject({
        code: 'broken_row',
        message: expect.stringContaining('creator_id'),
      })
      expect(found[1]).toEqual(records[1])
    }
  })

  test('reads nothing that is not committed', async () => {
    const { hashes } = await open({})
    const [hash = ''] = hashes
    const pool = db.openPool({ connectionLimit: 1 })
    await pool.query('SET SESSION TRANSACTION ISOLATION LEVEL READ UNCOMMITTED')
    const storage = mysqlStorage(pool)
    const first = await storage.findByHash(hash)
    const other = await db.pool.getConnection()
    try {
      await other.query('START TRANSACTION')
      await other.query('UPDATE miftah_keys SET revoked_at_ms = 1')
      expect(await storage.findByHash(hash)).toBe(first)
      expect(await storage.findByHash('f'.repeat(64))).toBeNull()
      await other.query('COMMIT')
      expect(await storage.findByHash(hash)).toMatchObject({ revokedAtMs: 1 })
    } finally {
      other.destroy()
    }
  })
})
