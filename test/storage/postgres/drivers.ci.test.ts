import pg from 'pg'
import { describe, test } from 'vitest'
import { type PostgresPool, postgresStorage } from '../../../adapters/storage/postgres.ts'
import { storageContract } from '../../../adapters/storage/testing/storage-contract.ts'
import { caseSchemas } from '../../support/postgres/case-schemas.ts'
import { databaseForFile } from '../../support/postgres/own-database.ts'
import { postgresJsForFile } from '../../support/postgres/postgres-js.ts'
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
  const postgresJs = postgresJsForFile(db)
  const nextSchema = caseSchemas(() => db.pool, 'postgres_js')
  const open = async () => postgresStorage(postgresJs(), { schema: await nextSchema() })
  for (const { name, run } of asked(storageContract(open))) test(name, run)
})
