import type pg from 'pg'
import { describe, expect, test } from 'vitest'
import { postgresStorage } from '../../../adapters/storage/postgres.ts'
import { sampleCreatedEvent, sampleRecord } from '../../../adapters/storage/testing/samples.ts'
import { storageContract } from '../../../adapters/storage/testing/storage-contract.ts'
import { inserted } from '../../support/inserted.ts'
import { caseSchemas } from '../../support/postgres/case-schemas.ts'
import { databaseForFile } from '../../support/postgres/own-database.ts'
import { postgresJsForFile } from '../../support/postgres/postgres-js.ts'

const db = databaseForFile()

// Most of the contract runs in CI, with the other drivers.
describe('Postgres.js', () => {
  const postgresJs = postgresJsForFile(db)
  const nextSchema = caseSchemas(() => db.pool, 'postgres_js')
  const open = async () => postgresStorage(postgresJs(), { schema: await nextSchema() })
  const suite = storageContract(open).filter(({ name }) => name.startsWith('life cycle: '))
  for (const { name, run } of suite) test(name, run)
})

describe('prepared statements', () => {
  /** What the server said it prepared, over all sessions of the pool. */
  async function preparedOn(pool: pg.Pool): Promise<readonly string[]> {
    const { rows } = await pool.query('SELECT name FROM pg_prepared_statements')
    return rows.map(({ name }) => String(name))
  }

  test('are used, and not when they are turned off', async () => {
    const named = db.openPool({ max: 1 })
    await postgresStorage(named).findByHash('0'.repeat(64))
    expect(await preparedOn(named)).toEqual([expect.stringMatching(/^miftah_[0-9a-f]{16}$/)])
    const unnamed = db.openPool({ max: 1 })
    await postgresStorage(unnamed, { preparedStatements: false }).findByHash('0'.repeat(64))
    expect(await preparedOn(unnamed)).toEqual([])
  })

  test('a pooler that loses them is noticed, and lookups go on without', async () => {
    const pool = db.openPool({ max: 1 })
    const storage = postgresStorage(pool)
    const record = await inserted(storage)
    await storage.findByHash(record.hash)
    await pool.query('DEALLOCATE ALL')
    expect(await storage.findByHash(record.hash)).toEqual(record)
    await pool.query('DEALLOCATE ALL')
    expect(await storage.findByHash(record.hash)).toEqual(record)
    expect(await preparedOn(pool)).toEqual([])
  })
})

describe('other drivers', () => {
  test('a pool whose host has changed how types are read', async () => {
    const types = { getTypeParser: () => () => 'changed' }
    const pool = db.openPool({ types })
    await expect(postgresStorage(pool).findById('ws', 'key')).rejects.toThrow()
    const bigints = { getTypeParser: (oid: number) => (text: string) => (oid === 25 ? text : oid) }
    const record = sampleRecord()
    const storage = postgresStorage(db.openPool({ types: bigints }))
    await storage.insert(record, null, sampleCreatedEvent(record))
    expect(await storage.findByHash(record.hash)).toEqual(record)
  })
})
