import { describe, test } from 'vitest'
import { contractOn } from '../../support/mysql/contract.ts'
import { hasServer, tablesForFile } from '../../support/mysql/server.ts'

const db = tablesForFile()

describe.skipIf(!hasServer)('the storage contract on MySQL', () => {
  for (const { name, run } of contractOn(db, () => ({}))) test(name, run)
})
