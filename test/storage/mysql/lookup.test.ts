import { describe, expect, test } from 'vitest'
import { deadlineOf } from '../../../adapters/storage/lib/deadline.ts'
import { finderOn } from '../../../adapters/storage/lib/mysql/finder.ts'
import { readinessOf } from '../../../adapters/storage/lib/mysql/readiness.ts'
import { Runner } from '../../../adapters/storage/lib/mysql/runner.ts'
import { mysqlStorage } from '../../../adapters/storage/mysql.ts'
import type { KeyRecord } from '../../../src/storage/index.ts'
import { inserted } from '../../support/inserted.ts'
import { emptyTables, hasServer, tablesForFile } from '../../support/mysql/server.ts'
import { watchedPool } from '../../support/mysql/watched-pool.ts'
import { rejection } from '../../support/world.ts'

const db = tablesForFile()

/** Some keys, and a way to find several at once, which counts its statements. */
async function open(...keys: readonly Partial<KeyRecord>[]) {
  await emptyTables(db.pool)
  const storage = mysqlStorage(db.pool)
  const records: KeyRecord[] = []
  for (const fields of keys) records.push(await inserted(storage, fields))
  const { pool, sent } = watchedPool(db.pool)
  const readiness = readinessOf(pool, false)
  await readiness.ensure(deadlineOf(undefined))
  const findAll = finderOn(new Runner(pool, readiness))
  const find = async (...hashes: readonly string[]) => {
    sent.length = 0
    const found = await findAll(hashes, deadlineOf(undefined), undefined)
    return { found: hashes.map((hash) => found.get(hash) ?? null), statements: sent.length }
  }
  return { storage, records, hashes: records.map(({ hash }) => hash), find }
}

describe.skipIf(!hasServer)('a lookup', () => {
  test('of many hashes is one statement', async () => {
    const { records, hashes, find } = await open({ note: 'n' }, {})
    const [known = '', other = ''] = hashes
    const unknown = 'f'.repeat(64)
    expect(await find(unknown)).toEqual({ found: [null], statements: 1 })
    expect(await find(other, known, unknown, known)).toEqual({
      ...{ found: [records[1], records[0], null, records[0]], statements: 1 },
    })
  })

  test('shares its statement with others of its turn', async () => {
    const { hashes, records } = await open({}, {})
    const { pool, sent } = watchedPool(db.pool)
    const storage = mysqlStorage(pool)
    await storage.findByHash('f'.repeat(64))
    sent.length = 0
    const all = Array.from({ length: 40 }, (_, at) => hashes[at % 2] ?? '')
    const found = await Promise.all(all.map((hash) => storage.findByHash(hash)))
    expect(found).toEqual(all.map((_, at) => records[at % 2]))
    expect(sent.length).toBeLessThan(4)
  })

  test('sees a change by hand at once', async () => {
    const { hashes, find } = await open({})
    await find(...hashes)
    await db.pool.query('UPDATE miftah_keys SET revoked_at_ms = 5')
    expect((await find(...hashes)).found).toMatchObject([{ revokedAtMs: 5 }])
    await db.pool.query('DELETE FROM miftah_keys')
    expect((await find(...hashes)).found).toEqual([null])
  })

  test('of an invalid row fails alone', async () => {
    const { records, hashes, find } = await open({}, {})
    await db.pool.query("UPDATE miftah_keys SET creator_id = X'FF' WHERE id = ?", [records[0]?.id])
    const { found } = await find(...hashes)
    expect(found[0]).toMatchObject({
      code: 'broken_row',
      message: expect.stringContaining('creator_id'),
    })
    expect(found[1]).toEqual(records[1])
  })

  test('that gets no rows is broken', async () => {
    const { hashes } = await open({})
    for (const rows of [{}, []]) {
      const { pool } = watchedPool(db.pool, {
        query: async (query, on) =>
          query.sql.includes('miftah_keys') ? [rows, []] : on.query(query),
      })
      const lookup = async () => mysqlStorage(pool).findByHash(hashes[0] ?? '')
      expect(await rejection(lookup())).toMatchObject({ code: 'broken_row' })
    }
  })

  test('reads nothing that is not committed', async () => {
    const { hashes, records } = await open({})
    const [hash = ''] = hashes
    const pool = db.openPool({ connectionLimit: 1 })
    await pool.query('SET SESSION TRANSACTION ISOLATION LEVEL READ UNCOMMITTED')
    const storage = mysqlStorage(pool)
    const other = await db.pool.getConnection()
    try {
      await other.query('START TRANSACTION')
      await other.query('UPDATE miftah_keys SET revoked_at_ms = 1')
      expect(await storage.findByHash(hash)).toEqual(records[0])
      await other.query('COMMIT')
      expect(await storage.findByHash(hash)).toMatchObject({ revokedAtMs: 1 })
    } finally {
      other.destroy()
    }
  })
})
