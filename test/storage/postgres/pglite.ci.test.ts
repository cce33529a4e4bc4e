import { PGlite } from '@electric-sql/pglite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { postgresStorage } from '../../../adapters/storage/postgres.ts'
import { sampleInsertion, sampleRecord } from '../../../adapters/storage/testing/samples.ts'
import { contractOn } from '../../support/postgres/contract.ts'

let database: PGlite

// One instance for all cases: it is a whole server in this process and heavy to start.
beforeAll(async () => {
  database = await PGlite.create()
})

afterAll(() => database.close())

describe.each(['read committed', 'repeatable read', 'serializable'])(
  'the storage contract on PGlite at %s',
  (level) => {
    beforeAll(async () => {
      await database.exec(`SET default_transaction_isolation = '${level}'`)
    })
    const cases = contractOn(level.replace(' ', '_'), { admin: () => database })
    for (const { name, run } of cases) test(name, run)
  },
)

test('a transaction of the host neither holds a write up nor takes it with it', async () => {
  const storage = postgresStorage(database, { schema: 'host' })
  await storage.migrate()
  const record = sampleRecord()
  let writing: Promise<unknown> | undefined
  await database.transaction(async (host) => {
    writing = storage.write([sampleInsertion(record)])
    await host.rollback()
  })
  expect(await writing).toEqual([{ outcome: 'stored', isLogged: false }])
  expect(await storage.findByHash(record.hash)).toEqual(record)
})
