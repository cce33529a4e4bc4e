import type pg from 'pg'
import { describe, expect, test } from 'vitest'
import { type PostgresPool, postgresStorage } from '../../../adapters/storage/postgres.ts'
import { inserted } from '../../support/inserted.ts'
import { contractOn } from '../../support/postgres/contract.ts'
import { databaseForFile } from '../../support/postgres/own-database.ts'
import { postgresJsForFile } from '../../support/postgres/postgres-js.ts'
import { asked, someOf } from '../../support/runs.ts'

const db = databaseForFile()

describe('Postgres.js', () => {
  const postgresJs = postgresJsForFile(db)
  const cases = contractOn('postgres_js', { admin: () => db.pool, pool: postgresJs })
  for (const { name, run } of asked(cases)) test(name, run)
})

describe('a connection for each statement, as behind a transaction pooler', () => {
  let single: pg.Pool | undefined
  const query: PostgresPool['query'] = (text, values) => {
    single ??= db.openPool({ max: 10, maxUses: 1 })
    return single.query(text, values)
  }
  const cases = contractOn('apart', { admin: () => db.pool, pool: () => ({ query }) })
  for (const { name, run } of someOf(asked(cases))) test(name, run)
})

describe('prepared statements', () => {
  async function preparedOn(pool: pg.Pool): Promise<readonly string[]> {
    const { rows } = await pool.query('SELECT name FROM pg_prepared_statements')
    return rows.map(({ name }) => String(name))
  }

  test('are used for lookups, reads and writes, and not when they are turned off', async () => {
    const use = async (pool: pg.Pool, preparedStatements: boolean) => {
      const storage = postgresStorage(pool, { preparedStatements })
      const { workspaceId, id, hash } = await inserted(storage)
      await storage.findByHash(hash)
      const view = { workspaceId, ids: [id], eventIds: [], countAtMs: 0, countUpTo: 5 }
      expect((await storage.read(view)).keys).toHaveLength(1)
      return preparedOn(pool)
    }
    expect(await use(db.openPool({ max: 1 }), true)).toEqual(
      Array(3).fill(expect.stringMatching(/^miftah_[0-9a-f]{16}$/)),
    )
    expect(await use(db.openPool({ max: 1 }), false)).toEqual([])
  })

  test('a pooler that loses them is noticed, and the storage goes on without', async () => {
    const pool = db.openPool({ max: 1 })
    const storage = postgresStorage(pool)
    const record = await inserted(storage)
    await pool.query('DEALLOCATE ALL')
    const other = await inserted(storage)
    await pool.query('DEALLOCATE ALL')
    expect(await storage.findByHash(record.hash)).toEqual(record)
    expect(await storage.findByHash(other.hash)).toEqual(other)
    expect(await preparedOn(pool)).toEqual([])
  })
})

test('a pool whose host has changed how types are read', async () => {
  const types = { getTypeParser: () => () => 'changed' }
  const broken = postgresStorage(db.openPool({ types }))
  await expect(broken.findByHash('0'.repeat(64))).rejects.toMatchObject({ code: 'broken_row' })
  const bigints = { getTypeParser: (oid: number) => (text: string) => (oid === 25 ? text : oid) }
  const storage = postgresStorage(db.openPool({ types: bigints }))
  const record = await inserted(storage)
  expect(await storage.findByHash(record.hash)).toEqual(record)
})
