import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { type SqliteStorage, sqliteStorage } from '../../../adapters/storage/sqlite.ts'
import { modelTest } from './model-test.ts'

const folder = mkdtempSync(join(tmpdir(), 'miftah-model-'))
let files = 0

afterAll(() => rmSync(folder, { recursive: true }))

modelTest('SQLite', () => sqliteStorage(join(folder, `${++files}.db`)), {
  numRuns: 30,
  close: (storage) => (storage as SqliteStorage).close(),
})
