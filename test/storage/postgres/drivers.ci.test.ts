import pg from 'pg'
import postgres from 'postgres'
import { afterEach, describe, expect, test } from 'vitest'
import { type PostgresPool, postgresStorage } from '../../../adapters/storage/postgres.ts'
import { sampleCreatedEvent, sampleRecord } from '../../../adapters/storage/testing/samples.ts'
import { storageContract } from '../../../adapters/storage/testing/storage-contract.ts'
import { caseSchemas } from '../../support/postgres/case-schemas.ts'
import { databaseForFile } from '../../support/postgres/own-database.ts'
import { asked } from '../../support/runs.ts'

const db = databaseForFile()

/** The cases of the suite that depend on who may write when; the stricter level has all of them. */
const LEVELS = [
  ['repeatable read', /^limit: /],
  ['serializable', /^(limit|races): /],
] as const

describe.each(LEVELS)('a database whose default is %s', (level, depending) => {
  const nextSchema = caseSchemas(() => db.pool, level.replace(' ', '_'))
  const open = async () => {
    const options = `-c default_transaction_isolation=${level.replace(' ', '\\ ')}`
    return postgresStorage(db.openPool({ options }), { schema: await nextSchema() })
  }
  const suite = storageContract(open).filter(({ name }) => depending.test(name))
  for (const { name, run } of suite) test(name, run)
})

/** A pooler that hands every statement to another connection. */
class OneStatementPool implements PostgresPool {
  readonly #url: string
  #running = 0
  readonly #waiting: (() => void)[] = []

  constructor(url: string) {
    this.#url = url
  }

  async query(text: string, values?: unknown[]): Promise<{ readonly rows: readonly unknown[] }> {
    if (this.#running >= 10) await new Promise<void>((go) => this.#waiting.push(go))
    this.#running += 1
    const client = new pg.Client({ connectionString: this.#url })
    try {
      await client.connect()
      return await client.query(text, values)
    } finally {
      await client.end()
      this.#running -= 1
      this.#waiting.shift()?.()
    }
  }
}

describe('a connection for each statement, as behind a transaction pooler', () => {
  const nextSchema = caseSchemas(() => db.pool, 'apart')
  const open = async () => {
    const apart = new OneStatementPool(db.url)
    return postgresStorage(apart, { schema: await nextSchema() })
  }
  const suite = storageContract(open).filter(({ name }) => /^(relay|repeats): /.test(name))
  for (const { name, run } of suite) test(name, run)
})

describe('Postgres.js', () => {
  const nextSchema = caseSchemas(() => db.pool, 'postgres_js')
  const open = async () => {
    const sql = postgres(db.url, { max: 5, onnotice: () => {} })
    opened.push(sql)
    const wrapped: PostgresPool = {
      query: async (text, values) => ({ rows: await sql.unsafe(text, values) }),
    }
    return postgresStorage(wrapped, { schema: await nextSchema() })
  }
  const opened: postgres.Sql[] = []
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((sql) => sql.end()))
  })
  for (const { name, run } of asked(storageContract(open))) test(name, run)
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
    const record = sampleRecord()
    await storage.insert(record, null, sampleCreatedEvent(record))
    await storage.findByHash(record.hash)
    await pool.query('DEALLOCATE ALL')
    expect(await storage.findByHash(record.hash)).toEqual(record)
    await pool.query('DEALLOCATE ALL')
    expect(await storage.findByHash(record.hash)).toEqual(record)
    expect(await preparedOn(pool)).toEqual([])
  })
})

describe('other drivers', () => {
  test('one pg Client', async () => {
    const client = new pg.Client({ connectionString: db.url })
    await client.connect()
    const storage = postgresStorage(client)
    const record = sampleRecord()
    await storage.insert(record, null, sampleCreatedEvent(record))
    const found = await Promise.all(
      Array.from({ length: 20 }, () => storage.findByHash(record.hash)),
    )
    expect(found).toEqual(Array(20).fill(record))
    await client.end()
  })

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

  test('a pool that was closed rejects and does not hang', async () => {
    const pool = db.openPool()
    const storage = postgresStorage(pool)
    await storage.migrate()
    await pool.end()
    const started = performance.now()
    await expect(storage.findById('ws', 'key')).rejects.toMatchObject({ code: 'unavailable' })
    expect(performance.now() - started).toBeLessThan(30_000)
  })

  test('a driver that throws at once rejects', async () => {
    const broken: PostgresPool = {
      query: () => {
        throw new Error('broken driver')
      },
    }
    const call = Promise.resolve(postgresStorage(broken).findByHash('0'.repeat(64)))
    await expect(call).rejects.toMatchObject({ code: 'unavailable' })
  })
})
