import { describe, expect, test } from 'vitest'
import { mysqlStorage } from '../../../adapters/storage/mysql.ts'
import type { KeyRecord } from '../../../src/storage/index.ts'
import { inserted } from '../../support/inserted.ts'
import { emptyTables, hasServer, tablesForFile } from '../../support/mysql/server.ts'
import { watchedPool } from '../../support/mysql/watched-pool.ts'
import { rejection } from '../../support/world.ts'

const db = tablesForFile()

/** Some keys, and a way to find keys at once, which tells what became of each and how many statements were sent. */
async function open(...keys: readonly Partial<KeyRecord>[]) {
  await emptyTables(db.pool)
  const storage = mysqlStorage(db.pool)
  const records: KeyRecord[] = []
  for (const fields of keys) records.push(await inserted(storage, fields))
  const { pool, sent } = watchedPool(db.pool)
  const watched = mysqlStorage(pool)
  await watched.findByHash('f'.repeat(64))
  const find = async (...hashes: readonly string[]) => {
    sent.length = 0
    const all = hashes.map(async (hash) => watched.findByHash(hash))
    const found = await Promise.all(all.map((one) => one.catch((error: unknown) => error)))
    return { found, statements: sent.filter((sql) => sql.includes('miftah_keys')).length }
  }
  return { records, hashes: records.map(({ hash }) => hash), find }
}

describe.skipIf(!hasServer)('a lookup', () => {
  test('shares its statement with others of its turn', async () => {
    const { hashes, records, find } = await open({ note: 'n' }, {})
    const all = Array.from({ length: 40 }, (_, at) => hashes[at % 2] ?? '')
    const { found, statements } = await find('f'.repeat(64), ...all)
    expect(found).toEqual([null, ...all.map((_, at) => records[at % 2])])
    expect(statements).toBeLessThan(4)
  })

  test('of an invalid row fails alone', async () => {
    const { records, hashes, find } = await open({}, {}, {})
    await db.pool.query("UPDATE miftah_keys SET creator_id = X'FF' WHERE id = ?", [records[1]?.id])
    const { found } = await find(...hashes)
    const message = expect.stringContaining('creator_id')
    expect(found).toMatchObject([records[0], { code: 'broken_row', message }, records[2]])
  })

  test('that gets something else than rows, or a row without a key, is broken', async () => {
    const { hashes } = await open({})
    for (const rows of [{}, [{ is_fine: 1 }]]) {
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
