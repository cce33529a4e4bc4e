import { type SqliteStorage, sqliteStorage } from '../../../adapters/storage/sqlite.ts'
import { freshPath } from '../../support/sqlite-files.ts'
import { modelTest } from './model-test.ts'

modelTest('SQLite', () => sqliteStorage(freshPath()), {
  numRuns: 30,
  close: (storage) => (storage as SqliteStorage).close(),
})
