import { writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { setUp } from '../../../adapters/storage/lib/sqlite/session.ts'
import { type SqliteDatabase, sqliteStorage } from '../../../adapters/storage/sqlite.ts'
import { sampleInsertion, sampleRecord } from '../../../adapters/storage/testing/samples.ts'
import { inserted } from '../../support/inserted.ts'
import { FIRST_PAGE, freshPath, prepared, rawAt, storageAt } from '../../support/sqlite-files.ts'
import { rejection } from '../../support/world.ts'

const HASH = '0'.repeat(64)

describe('the file', () => {
  const folder = () => `${freshPath()}-folder/keys.db`
  const text = () => {
    const path = freshPath()
    // Long enough to be read as the head of a database.
    writeFileSync(path, 'This is a text. '.repeat(200))
    return path
  }

  test.each([
    [
      'in a folder that is missing',
      folder,
      /^SQLite cannot open the file PATH \(.*create its folder/,
    ],
    ['that is no database', text, /^the file PATH cannot be used: file is not a database$/],
  ])('%s is named', async (_, at, expected) => {
    const path = at()
    const storage = storageAt(path)
    for (const call of [() => storage.migrate(), () => storage.list('ws_1', FIRST_PAGE)]) {
      const error = await rejection(call())
      expect(error).toMatchObject({ name: 'StorageError', code: 'unavailable' })
      expect(Object(error).message.replace(path, 'PATH')).toMatch(expected)
    }
  })

  test('is in WAL mode, and each commit waits for the disk, also on macOS', async () => {
    const path = freshPath()
    await storageAt(path).migrate()
    const database = rawAt(path)
    database.exec('PRAGMA synchronous = OFF')
    expect(database.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' })
    setUp(database)
    expect(database.prepare('PRAGMA synchronous').get()).toEqual({ synchronous: 2 })
    expect(database.prepare('PRAGMA fullfsync').get()).toEqual({ fullfsync: 1 })
    expect(database.prepare('PRAGMA busy_timeout').get()).toEqual({ timeout: 0 })
  })
})

describe('a database that was passed in', () => {
  test('is used, keeps the settings of its owner and is left open', async () => {
    const database = rawAt(freshPath())
    database.exec('PRAGMA busy_timeout = 1234; PRAGMA synchronous = NORMAL')
    const storage = sqliteStorage(database)
    await inserted(storage)
    await storage.close()
    const one = (sql: string) => database.prepare(sql).get()
    expect(one('SELECT count(*) AS keys FROM miftah_keys')).toEqual({ keys: 1 })
    expect(one('PRAGMA busy_timeout')).toEqual({ timeout: 1234 })
    expect(one('PRAGMA synchronous')).toEqual({ synchronous: 1 })
    await expect(storage.list('ws', FIRST_PAGE)).rejects.toMatchObject({ code: 'closed' })
  })

  test('rejects inside a transaction of its owner, and changes nothing', async () => {
    const database = rawAt(freshPath())
    const storage = sqliteStorage(database)
    await storage.migrate()
    await storage.list('ws', FIRST_PAGE)
    database.exec('BEGIN; CREATE TABLE theirs (x)')
    const step = sampleInsertion(sampleRecord())
    const writing = storage.write([step])
    await expect(writing).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('transaction within a transaction'),
    })
    database.exec('INSERT INTO theirs VALUES (1); COMMIT')
    expect(await storage.findByHash(step.keys[0]?.record.hash ?? '')).toBeNull()
  })

  test('of an old SQLite is refused with the version that is needed', async () => {
    const answering = (version: string): SqliteDatabase => ({
      exec: () => undefined,
      close: () => undefined,
      prepare: () => ({ get: () => ({ version }), all: () => [], run: () => ({ changes: 0 }) }),
    })
    for (const version of ['3.41.9', '2.99.0', '']) {
      await expect(sqliteStorage(answering(version)).migrate()).rejects.toMatchObject({
        code: 'driver_missing',
        message: `SQLite 3.42 or later is needed, and this is ${version}`,
      })
    }
  })
})

describe('answering', () => {
  test('findByHash needs no promise once the file is open', async () => {
    const storage = storageAt(freshPath())
    const record = await inserted(storage)
    expect(storage.findByHash(record.hash)).toEqual(record)
    expect(storage.findByHash(HASH)).toBeNull()
  })

  test('a closed storage rejects everything', async () => {
    const storage = sqliteStorage(freshPath())
    await storage.migrate()
    await storage.close()
    await storage.close()
    const closed = { name: 'StorageError', code: 'closed' }
    await expect(storage.findByHash(HASH)).rejects.toMatchObject(closed)
    await expect(storage.migrate()).rejects.toMatchObject(closed)
    await expect(storage.write([sampleInsertion(sampleRecord())])).rejects.toMatchObject(closed)
  })

  test('a storage that is closed while it opens stays closed', async () => {
    const storage = sqliteStorage(rawAt(freshPath()))
    const listing = storage.list('ws', FIRST_PAGE)
    await storage.close()
    expect(await listing).toMatchObject({ keys: [] })
    expect(await rejection(Promise.resolve(storage.findByHash(HASH)))).toMatchObject({
      code: 'closed',
    })
  })

  test('diagnose says what is there', async () => {
    const raw = rawAt(freshPath())
    const system = expect.stringMatching(/^SQLite 3\.\d+/)
    expect(await sqliteStorage(raw).diagnose()).toMatchObject({ system, mode: 'primary' })
    raw.exec('PRAGMA query_only = ON')
    expect(await sqliteStorage(raw).diagnose()).toMatchObject({ system, mode: 'read_only' })
  })
})

test.each([
  [{ errcode: 10 }, 'outcome_unknown'],
  [{ code: 'SQLITE_IOERR_FSYNC' }, 'outcome_unknown'],
  [{ errcode: 13 }, 'unavailable'],
])('a commit that fails with %j: %s', async (fields, code) => {
  const raw = rawAt(freshPath())
  let isBroken = false
  const breaking = prepared(raw, (sql, statement) => {
    const run = () => {
      if (isBroken) throw Object.assign(new Error('disk I/O error'), fields)
      return statement.run()
    }
    return sql === 'COMMIT' ? { get: () => null, all: () => [], run } : statement
  })
  const storage = sqliteStorage(breaking)
  await inserted(storage)
  isBroken = true
  await expect(inserted(storage)).rejects.toMatchObject({ name: 'StorageError', code })
  isBroken = false
  // The connection is in no transaction.
  await inserted(storage)
  expect((await storage.list('ws_sample', FIRST_PAGE)).keys).toHaveLength(2)
})

test('a silent writer of uses is forgotten a month later, by the first batch of another', async () => {
  const path = freshPath()
  const storage = storageAt(path)
  const raw = rawAt(path)
  const flush = (writer: string, sequence = 1) => storage.addUses({ writer, sequence, uses: [] })
  const rows = () => raw.prepare('SELECT id FROM miftah_writers ORDER BY id').all()
  const writers = () => rows().map((row) => Object(row).id)
  const age = (days: number) =>
    raw.exec(`UPDATE miftah_writers SET written_at_ms = (unixepoch() - ${days} * 86400) * 1000
      WHERE id = 'a'`)
  for (const writer of ['a', 'b']) await flush(writer)
  age(29)
  await flush('c')
  age(31)
  await flush('b', 2)
  expect(writers()).toEqual(['a', 'b', 'c'])
  await flush('d')
  expect(writers()).toEqual(['b', 'c', 'd'])
})
