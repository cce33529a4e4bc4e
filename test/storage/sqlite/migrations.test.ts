import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { MIGRATIONS } from '../../../adapters/storage/lib/sqlite/migrations.ts'
import { sqliteSchema, sqliteStorage } from '../../../adapters/storage/sqlite.ts'
import { freshPath, rawAt, storageAt } from '../../support/sqlite-files.ts'

/** Another connection to a file, and what is in its schema. */
function opened(path = freshPath()) {
  const raw = rawAt(path)
  const schema = () => raw.prepare('SELECT type, name, sql FROM sqlite_schema ORDER BY name').all()
  return { path, raw, schema }
}

test('the printed schema is the one that the storage makes, in one transaction', async () => {
  const [printed, made] = [opened(), opened()]
  printed.raw.exec(sqliteSchema())
  await storageAt(made.path).migrate()
  expect(printed.schema()).toEqual(made.schema())
  expect(() => printed.raw.exec(sqliteSchema())).toThrow('exists')
  printed.raw.exec('ROLLBACK')
  expect(printed.schema()).toEqual(made.schema())
  expect(sqliteSchema()).toMatch(/^BEGIN IMMEDIATE;\n\n-- /)
  expect(sqliteSchema()).toMatch(/;\nINSERT INTO miftah_schema VALUES \(1\);\n\nCOMMIT;\n\n$/)
})

// Until the first release version 1 changes in place, and its digest with it. After that, none does.
test('a released migration never changes', () => {
  const digests = MIGRATIONS.map((sql) => createHash('sha256').update(sql).digest('hex'))
  expect(digests).toEqual(['25c1ea393018ce896d54f7887a4f6e883073654dd67852e7a9b38b6144780854'])
})

test('done by another while the lock was waited for, there is nothing left to do', async () => {
  const { path, raw, schema } = opened()
  const theirs = rawAt(path)
  const begun: unknown[] = []
  const storage = sqliteStorage({
    exec: (sql) => {
      if (sql === 'BEGIN IMMEDIATE') begun.push(theirs.exec(sqliteSchema()), schema())
      return raw.exec(sql)
    },
    prepare: (sql) => raw.prepare(sql),
    close: () => raw.close(),
  })
  await storage.migrate()
  expect(begun).toEqual([undefined, schema()])
})

test.each([
  ['PRAGMA max_page_count = 10', 'database or disk is full'],
  ['CREATE TABLE miftah_events (stray TEXT)', 'already exists'],
])('a migration that fails says why, and leaves the file as it was: %s', async (sql, message) => {
  const { raw, schema } = opened()
  raw.exec(sql)
  const before = schema()
  await expect(sqliteStorage(raw).migrate()).rejects.toThrow(message)
  // The connection is in no transaction.
  raw.exec('BEGIN; COMMIT')
  expect(schema()).toEqual(before)
})
