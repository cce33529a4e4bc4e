import { describe, expect, test } from 'vitest'
import { sqliteSchema, sqliteStorage } from '../../../adapters/storage/sqlite.ts'
import {
  sampleCreatedEvent,
  sampleRecord,
} from '../../../adapters/storage/testing/storage-contract.ts'
import { freshPath, rawAt, storageAt } from '../../support/sqlite-files.ts'

const FIRST_PAGE = { status: null, environment: null, after: null, limit: 100 }
const EVERYTHING = 'SELECT type, name, sql FROM sqlite_schema ORDER BY name'

describe('migrations', () => {
  test('run at first use, once, and again without effect', async () => {
    const path = freshPath()
    const record = sampleRecord()
    await storageAt(path).insert(record, null, sampleCreatedEvent(record))
    const raw = rawAt(path)
    const schema = raw.prepare(EVERYTHING).all()
    const storage = storageAt(path)
    for (let times = 0; times < 3; times += 1) await storage.migrate()
    expect(raw.prepare(EVERYTHING).all()).toEqual(schema)
    expect(await storage.findByHash(record.hash)).toEqual(record)
    const versions = raw.prepare('SELECT version FROM miftah_migrations').all()
    expect(versions).toEqual([{ version: 1 }])
  })

  test('20 storages at once on a new file', async () => {
    const path = freshPath()
    const storages = Array.from({ length: 20 }, () => storageAt(path))
    await Promise.all(storages.map((storage) => storage.migrate()))
    const versions = rawAt(path).prepare('SELECT version FROM miftah_migrations').all()
    expect(versions).toEqual([{ version: 1 }])
  })

  test('a schema of a later release is refused and not touched', async () => {
    const path = freshPath()
    await storageAt(path).migrate()
    const raw = rawAt(path)
    raw.exec('INSERT INTO miftah_migrations VALUES (2, 0)')
    const storage = storageAt(path)
    const tooNew = { name: 'StorageError', code: 'schema_too_new', message: /at version 2/ }
    for (const call of [() => storage.migrate(), () => storage.list('ws', FIRST_PAGE)]) {
      await expect(call()).rejects.toMatchObject({ ...tooNew, message: expect.any(String) })
    }
    await expect(storage.migrate()).rejects.toThrow(tooNew.message)
  })

  test('migrate: false waits for a schema that somebody else applies', async () => {
    const path = freshPath()
    const storage = storageAt(path, { migrate: false })
    const missing = { name: 'StorageError', code: 'schema_missing' }
    await expect(storage.list('ws', FIRST_PAGE)).rejects.toMatchObject(missing)
    const message = 'the schema is at version 0, this release needs 1'
    await expect(storage.list('ws', FIRST_PAGE)).rejects.toThrow(message)
    rawAt(path).exec(sqliteSchema())
    expect(await storage.list('ws', FIRST_PAGE)).toMatchObject({ records: [] })
  })

  test('the printed schema is the one that the storage makes', async () => {
    const [made, printed] = [freshPath(), freshPath()]
    await storageAt(made).migrate()
    rawAt(printed).exec(sqliteSchema())
    expect(rawAt(printed).prepare(EVERYTHING).all()).toEqual(rawAt(made).prepare(EVERYTHING).all())
  })

  test('the printed schema applies once: a second time changes nothing', () => {
    const raw = rawAt(freshPath())
    raw.exec(sqliteSchema())
    expect(() => raw.exec(sqliteSchema())).toThrow()
    raw.exec('ROLLBACK')
    expect(raw.prepare('SELECT version FROM miftah_migrations').all()).toEqual([{ version: 1 }])
  })

  test('sqliteSchema knows no version but its own and those before', () => {
    expect(sqliteSchema(1)).not.toContain('CREATE TABLE miftah_keys')
    for (const from of [-1, 2, 0.5, Number.NaN])
      expect(() => sqliteSchema(from)).toThrow(
        new RangeError('from: a schema version between 0 and 1'),
      )
  })

  test('the printed schema is a paragraph for each step', () => {
    expect(sqliteSchema()).toMatch(
      /^BEGIN IMMEDIATE;\n\nCREATE TABLE IF NOT EXISTS miftah_migrations \([^;]*;\n\n-- When/,
    )
    expect(sqliteSchema()).toMatch(
      /;\n\nINSERT INTO miftah_migrations VALUES \(1, [^;]*;\n\nCOMMIT;\n\n$/,
    )
  })

  test('done by another while the lock was waited for, there is nothing left to do', async () => {
    const path = freshPath()
    const [ours, theirs] = [rawAt(path), rawAt(path)]
    const begun: string[] = []
    const storage = sqliteStorage({
      exec: (sql) => {
        if (sql === 'BEGIN IMMEDIATE') begun.push(String(theirs.exec(sqliteSchema())))
        return ours.exec(sql)
      },
      prepare: (sql) => ours.prepare(sql),
      close: () => ours.close(),
    })
    await storage.migrate()
    expect(begun).toHaveLength(1)
    expect(ours.prepare('SELECT version FROM miftah_migrations').all()).toEqual([{ version: 1 }])
  })

  test('a migration that fails leaves the file as it was', async () => {
    const path = freshPath()
    const raw = rawAt(path)
    raw.exec('CREATE TABLE miftah_events (stray TEXT)')
    await expect(storageAt(path).migrate()).rejects.toThrow(/already exists/)
    const left = () => raw.prepare('SELECT name FROM sqlite_schema').all()
    expect(left()).toEqual([{ name: 'miftah_events' }])
    // The same on a connection of the host's own, which stays open: it is in no transaction.
    await expect(sqliteStorage(raw).migrate()).rejects.toThrow(/already exists/)
    raw.exec('BEGIN; COMMIT')
    expect(left()).toEqual([{ name: 'miftah_events' }])
  })
})
