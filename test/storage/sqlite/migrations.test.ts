import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { MIGRATIONS, migrateSchema } from '../../../adapters/storage/lib/sqlite/migrations.ts'
import { sqliteSchema, sqliteStorage } from '../../../adapters/storage/sqlite.ts'
import {
  sampleCreatedEvent,
  sampleRecord,
} from '../../../adapters/storage/testing/storage-contract.ts'
import { inserted } from '../../support/inserted.ts'
import { freshPath, inMemory, rawAt, storageAt } from '../../support/sqlite-files.ts'

const FIRST_PAGE = { status: null, environment: null, atMs: 0, after: null, limit: 100 }
const ALL_VERSIONS = [{ version: 1 }]
const TOO_NEW = 'the schema is at version 2; this release only knows versions up to 1'
const missingIn = (place: string) =>
  `the SQLite ${place} has no tables of miftah; version 1 is needed: run \`npx miftah migrate\`, leave ` +
  'out `migrate: false` of sqliteStorage, or apply the SQL of sqliteSchema()'
const EVERYTHING = 'SELECT type, name, sql FROM sqlite_schema ORDER BY name'

describe('migrations', () => {
  test('run at first use, once, and again without effect', async () => {
    const path = freshPath()
    const record = await inserted(storageAt(path))
    const raw = rawAt(path)
    const schema = raw.prepare(EVERYTHING).all()
    const storage = storageAt(path)
    for (let times = 0; times < 3; times += 1) await storage.migrate()
    expect(raw.prepare(EVERYTHING).all()).toEqual(schema)
    expect(await storage.findByHash(record.hash)).toEqual(record)
    const versions = raw.prepare('SELECT version FROM miftah_migrations').all()
    expect(versions).toEqual(ALL_VERSIONS)
  })

  test('20 storages at once on a new file', async () => {
    const path = freshPath()
    const storages = Array.from({ length: 20 }, () => storageAt(path))
    await Promise.all(storages.map((storage) => storage.migrate()))
    const versions = rawAt(path).prepare('SELECT version FROM miftah_migrations').all()
    expect(versions).toEqual(ALL_VERSIONS)
  })

  test('a schema of a later release is refused and not touched', async () => {
    const path = freshPath()
    await storageAt(path).migrate()
    const raw = rawAt(path)
    raw.exec('INSERT INTO miftah_migrations VALUES (2, 0)')
    const storage = storageAt(path)
    const tooNew = { name: 'StorageError', code: 'schema_too_new', message: TOO_NEW }
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
    await expect(storage.list('ws', FIRST_PAGE)).rejects.toThrow(missingIn(`file ${path}`))
    rawAt(path).exec(sqliteSchema())
    expect(await storage.list('ws', FIRST_PAGE)).toMatchObject({ records: [] })
  })

  test('migrate: false on a database in memory says so', async () => {
    const storage = sqliteStorage(inMemory(), { migrate: false })
    const message = missingIn('database in memory')
    await expect(storage.list('ws', FIRST_PAGE)).rejects.toThrow(message)
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
    expect(raw.prepare('SELECT version FROM miftah_migrations').all()).toEqual(ALL_VERSIONS)
  })

  test('sqliteSchema knows no version but its own and those before', () => {
    expect(sqliteSchema(1)).not.toContain('CREATE TABLE miftah_')
    for (const from of [-1, 2, 0.5, Number.NaN])
      expect(() => sqliteSchema(from)).toThrow(
        new RangeError('sqliteSchema: "from" must be 0 to 1.'),
      )
  })

  // Until the first release version 1 changes in place, and its digest with it. After that, none does.
  test('a released migration never changes', () => {
    const digests = MIGRATIONS.map((sql) => createHash('sha256').update(sql).digest('hex'))
    expect(digests).toEqual(['62d5fb873501e77e874e10aae3a3583233bed4f8134c5030801cb1fd637dc166'])
  })

  test('the printed schema is a paragraph for each step', () => {
    expect(sqliteSchema()).toMatch(
      /^BEGIN IMMEDIATE;\n\n-- [^\n]*\nCREATE TABLE miftah_migrations \([^;]*;\n\n-- Keys/,
    )
    expect(sqliteSchema()).toMatch(
      /;\n\nINSERT INTO miftah_migrations VALUES \(1, [^;]*;\n\nCOMMIT;\n\n$/,
    )
  })

  // How a release adds to the schema, as long as there is no second version.
  test('an example: a further migration keeps what is stored, and makes what a new file has', async () => {
    const example = `
      ALTER TABLE miftah_keys ADD COLUMN color TEXT CHECK (length(color) > 0);
      CREATE INDEX miftah_keys_by_color ON miftah_keys (color) WHERE color IS NOT NULL;
      DROP TRIGGER miftah_keys_retire_no_later;
      CREATE TRIGGER miftah_keys_retire_no_later BEFORE UPDATE OF retires_at_ms, color ON miftah_keys
      WHEN OLD.retires_at_ms IS NOT NULL AND coalesce(NEW.retires_at_ms > OLD.retires_at_ms, 1)
      BEGIN
        SELECT RAISE(ABORT, 'miftah: the end of an overlap never moves later');
      END;`
    const path = freshPath()
    const [record, storage] = [sampleRecord(), storageAt(path)]
    await storage.insert(record, null, sampleCreatedEvent(record))
    const [upgraded, fresh] = [rawAt(path), rawAt(freshPath())]
    for (const raw of [upgraded, upgraded, fresh]) migrateSchema(raw, [...MIGRATIONS, example])
    expect(upgraded.prepare(EVERYTHING).all()).toEqual(fresh.prepare(EVERYTHING).all())
    for (const table of ['miftah_keys', 'miftah_events', 'miftah_outbox', 'miftah_usage']) {
      const count = upgraded.prepare(`SELECT count(*) AS rows FROM ${table}`).get()
      expect(count).toEqual({ rows: 1 })
    }
    expect(await storage.findByHash(record.hash)).toEqual(record)
    const versions = upgraded.prepare('SELECT version FROM miftah_migrations').all()
    expect(versions).toEqual([{ version: 1 }, { version: 2 }])
    expect(upgraded.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }])
    await expect(storageAt(path).migrate()).rejects.toThrow(TOO_NEW)
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
    expect(ours.prepare('SELECT version FROM miftah_migrations').all()).toEqual(ALL_VERSIONS)
  })

  test('a migration that finds the disk full says so', async () => {
    const raw = rawAt(freshPath())
    raw.exec('PRAGMA max_page_count = 10')
    await expect(sqliteStorage(raw).migrate()).rejects.toThrow('database or disk is full')
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
