import type pg from 'pg'
import { describe, test } from 'vitest'
import { contractOn } from '../../support/postgres/contract.ts'
import { databaseForFile } from '../../support/postgres/own-database.ts'

const db = databaseForFile()

/** Holds up every write, as a transaction that locks all workspaces does. */
async function hold(schema: string) {
  const client = await db.pool.connect()
  await client.query(`BEGIN; LOCK TABLE ${schema}.miftah_workspaces IN EXCLUSIVE MODE`)
  return async () => {
    await client.query('ROLLBACK')
    client.release()
  }
}

const LEVELS = ['read committed', 'repeatable read', 'serializable']

describe.each(LEVELS)('the storage contract on a pool of pg at %s', (level) => {
  let pool: pg.Pool | undefined
  const options = `-c default_transaction_isolation=${level.replace(' ', '\\ ')}`
  const opened = () => (pool ??= db.openPool({ options }))
  const cases = contractOn(level.replace(' ', '_'), { admin: () => db.pool, pool: opened, hold })
  for (const { name, run } of cases) test(name, run)
})
