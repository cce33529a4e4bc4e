import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { sqliteStorage } from '../../../adapters/storage/sqlite.ts'
import { lifecycleTests } from '../../support/lifecycle/suite.ts'

const folder = mkdtempSync(join(tmpdir(), 'miftah-sqlite-'))
let files = 0

afterAll(() => rmSync(folder, { recursive: true }))

lifecycleTests(
  () => sqliteStorage(join(folder, `${++files}.db`)),
  (storage) => storage.close(),
)
