import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, test } from 'vitest'
import { sqliteStorage } from '../../../adapters/storage/sqlite.ts'
import { storageContract } from '../../../adapters/storage/testing/storage-contract.ts'
import { keepSqlite } from '../../support/canary/sqlite.ts'

const folder = mkdtempSync(join(tmpdir(), 'miftah-sqlite-'))
let files = 0

afterAll(() => {
  keepSqlite(folder)
  rmSync(folder, { recursive: true })
})

describe('SQLite keeps the storage contract', () => {
  const open = () => sqliteStorage(join(folder, `${++files}.db`))
  for (const { name, run } of storageContract(open, (storage) => storage.close())) test(name, run)
})
