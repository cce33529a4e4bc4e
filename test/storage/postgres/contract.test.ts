import { describe, test } from 'vitest'
import { contractAt } from '../../support/postgres/contract.ts'
import { databaseForFile } from '../../support/postgres/own-database.ts'

const db = databaseForFile()

// contract.ci.test.ts has the other levels.
describe('the storage contract on a pool of pg at read committed', () => {
  for (const { name, run } of contractAt('read committed', db)) test(name, run)
})
