import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { MIGRATIONS } from '../../../adapters/storage/lib/sqlite/migrations.ts'
import { sqliteSchema, sqliteStorage } from '../../../adapters/storage/sqlite.ts'
import { inserted } from '../../support/inserted.ts'
import { FIRST_PAGE, freshPath, rawAt, storageAt } from '../../support/sqlite-files.ts'

/** Another connection to a file, what is in its schema, and its version. */
function opened(path = freshPath()) {
  const raw = rawAt(path)
  const all = (sql: string) => raw.prepare(sql).all()
  const schema = () => all('SELECT type, name, sql FROM sqlite_schema ORDER BY name')
  const versions = () => all('SELECT version FROM miftah_schema').map((row) => Object(row).version)
  return { path, raw, schema, versions }
}

test('the schema is made at first use, once, also by 20 storages on a new file', async () => {
  const { path, schema, versions } = opened()
  const storages = Array.from({ length: 20 }, () => storageAt(path))
  await Promise.all(storages.map((storage) => storage.migrate()))
  const [before, storage] = [schema(), storageAt(path)]
  const record = await inserted(storage)
  await storage.migrate()
  expect(schema()).toEqual(before)
  expect(storage.findByHash(record.hash)).toEqual(record)
  expect(versions()).toEqual([1])
})

const REFUSED: readonly (readonly [string, string, string, string])[] = [
  [
    ...(['of a later release', 'UPDATE miftah_schema SET version = 2', 'schema_too_new'] as const),
    'has version 2 of the tables; this release only knows versions up to 1: update miftah in this process',
  ],
  [
    ...([
      'of a version before 1',
      'ALTER TABLE miftah_schema RENAME TO miftah_migrations',
    ] as const),
    ...(['schema_foreign'] as const),
    'has tables made by a version of miftah before 1: use a new file, or delete .data',
  ],
]

test.each(REFUSED)('tables %s are refused and not touched', async (_, change, code, text) => {
  const { path, raw, schema } = opened()
  await storageAt(path).migrate()
  raw.exec(change)
  const before = schema()
  const message = `the file ${path} ${text}`
  for (const migrate of [true, false]) {
    const storage = storageAt(path, { migrate })
    for (const call of [storage.migrate(), storage.list('ws', FIRST_PAGE)]) {
      await expect(call).rejects.toMatchObject({ name: 'StorageError', code, message })
    }
  }
  expect(schema()).toEqual(before)
})

test('migrate: false waits for the printed schema, which is the one that the storage makes', async () => {
  const { path, raw, schema, versions } = opened()
  const storage = storageAt(path, { migrate: false })
  const message = `the file ${path} has no tables of miftah; version 1 is needed: run npx miftah migrate`
  await expect(storage.list('ws', FIRST_PAGE)).rejects.toMatchObject({
    ...{ code: 'schema_missing', message },
  })
  raw.exec(sqliteSchema())
  expect(await storage.list('ws', FIRST_PAGE)).toMatchObject({ keys: [] })
  const made = opened()
  await storageAt(made.path).migrate()
  expect(schema()).toEqual(made.schema())
  expect(() => raw.exec(sqliteSchema())).toThrow()
  raw.exec('ROLLBACK')
  expect(versions()).toEqual([1])
})

test('sqliteSchema prints a paragraph for each step, and knows no other versions', () => {
  expect(sqliteSchema()).toMatch(/^BEGIN IMMEDIATE;\n\n-- /)
  expect(sqliteSchema()).toMatch(/;\nINSERT INTO miftah_schema VALUES \(1\);\n\nCOMMIT;\n\n$/)
  expect(sqliteSchema(1)).not.toContain('miftah_')
  const error = new RangeError('sqliteSchema: "from" must be 0 to 1.')
  for (const from of [-1, 2, 0.5, Number.NaN]) expect(() => sqliteSchema(from)).toThrow(error)
})

// Until the first release version 1 changes in place, and its digest with it. After that, none does.
test('a released migration never changes', () => {
  const digests = MIGRATIONS.map((sql) => createHash('sha256').update(sql).digest('hex'))
  expect(digests).toEqual(['25c1ea393018ce896d54f7887a4f6e883073654dd67852e7a9b38b6144780854'])
})

test('done by another while the lock was waited for, there is nothing left to do', async () => {
  const { path, raw, versions } = opened()
  const theirs = rawAt(path)
  const begun: unknown[] = []
  const storage = sqliteStorage({
    exec: (sql) => {
      if (sql === 'BEGIN IMMEDIATE') begun.push(theirs.exec(sqliteSchema()))
      return raw.exec(sql)
    },
    prepare: (sql) => raw.prepare(sql),
    close: () => raw.close(),
  })
  await storage.migrate()
  expect(begun).toHaveLength(1)
  expect(versions()).toEqual([1])
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
