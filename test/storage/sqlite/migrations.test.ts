import { createHash } from 'node:crypto'
import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import { describe, expect, test } from 'vitest'
import { VERSION_TABLE, versionNote } from '../../../adapters/storage/lib/sqlite/schema/index.ts'
import { VERSION_1 } from '../../../adapters/storage/lib/sqlite/schema/version-1.ts'
import { sqliteSchema, sqliteStorage } from '../../../adapters/storage/sqlite.ts'
import {
  sampleCreatedEvent,
  sampleRecord,
} from '../../../adapters/storage/testing/storage-contract.ts'
import { freshPath, rawAt, storageAt } from '../../support/sqlite-files.ts'

const FIRST_PAGE = { status: null, environment: null, atMs: 0, after: null, limit: 100 }
const ALL_VERSIONS = [{ version: 1 }, { version: 2 }]
const TOO_NEW = 'the schema is at version 3; this release only knows versions up to 2'
const EVERYTHING = 'SELECT type, name, sql FROM sqlite_schema ORDER BY name'

const BASE = { workspaceId: 'ws', scopes: ['contacts.read'], replaces: null, replacedBy: null }
const UNUSED = { ...BASE, uses: 0, lastUsedAtMs: null, revokedAtMs: null }
const USED = { ...sampleRecord(UNUSED), uses: 7, lastUsedAtMs: 7_000 }
const SUCCESSOR = { ...sampleRecord(UNUSED), ...UNUSED }
const ROTATED = { ...sampleRecord(UNUSED), ...UNUSED, revokedAtMs: 5, replacedBy: SUCCESSOR.id }
Object.assign(SUCCESSOR, { replaces: ROTATED.id })

/** Writes what the first release wrote for three keys, two events and one writer. */
function fillVersion1(raw: DatabaseSyncInstance): void {
  const insert = raw.prepare(`INSERT INTO miftah_keys VALUES
    (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)
  for (const key of [USED, ROTATED, SUCCESSOR]) {
    const what = [key.id, key.workspaceId, key.name, key.environment, JSON.stringify(key.scopes)]
    const who = [key.prefix, key.creator.id, key.creator.name, key.createdAtMs]
    const state = [key.lastUsedAtMs, key.uses, key.revokedAtMs, key.replaces, key.replacedBy]
    insert.run(Buffer.from(key.hash, 'hex'), ...what, ...who, ...state)
  }
  const data = JSON.stringify({ name: 'n', environment: 'live', scopes: [], prefix: 'p' })
  const event = raw.prepare('INSERT INTO miftah_events VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?)')
  for (const id of ['evt_1', 'evt_2']) {
    event.run(id, 'ws', USED.id, 'api_key.created', 1, 'u', 'Sami', data)
  }
  raw.exec('DELETE FROM miftah_outbox WHERE position = 1')
  raw.exec("INSERT INTO miftah_lease VALUES (1, 'rly_old', 9007199254740991)")
  raw.exec("INSERT INTO miftah_writers VALUES ('wrt', 3, unixepoch())")
}

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
    raw.exec('INSERT INTO miftah_migrations VALUES (3, 0)')
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
    const message = 'the schema is at version 0; this release needs 2'
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
    expect(raw.prepare('SELECT version FROM miftah_migrations').all()).toEqual(ALL_VERSIONS)
  })

  test('sqliteSchema knows no version but its own and those before', () => {
    expect(sqliteSchema(2)).not.toContain('CREATE TABLE miftah_')
    for (const from of [-1, 3, 0.5, Number.NaN])
      expect(() => sqliteSchema(from)).toThrow(
        new RangeError('sqliteSchema: "from" must be 0 to 2.'),
      )
  })

  test('a released version never changes', () => {
    const digest = createHash('sha256').update(VERSION_1).digest('hex')
    expect(digest).toBe('f89a46647aa2d52e5b313fcc5571ccecf9fa35b84410f5c6e9422d8bbc924ba3')
  })

  test('the printed schema is a paragraph for each step', () => {
    expect(sqliteSchema()).toMatch(
      /^BEGIN IMMEDIATE;\n\nCREATE TABLE IF NOT EXISTS miftah_migrations \([^;]*;\n\n-- When/,
    )
    expect(sqliteSchema()).toMatch(
      /;\n\nINSERT INTO miftah_migrations VALUES \(2, [^;]*;\n\nCOMMIT;\n\n$/,
    )
  })

  test('version 1 is upgraded without losing a key, a use or an event', async () => {
    const path = freshPath()
    const raw = rawAt(path)
    raw.exec(`${VERSION_TABLE} ${VERSION_1}; ${versionNote(1)}`)
    fillVersion1(raw)
    const [storage, another] = [storageAt(path), storageAt(path)]
    await Promise.all([storage.migrate(), another.migrate()])
    const page = await storage.list('ws', FIRST_PAGE)
    expect(page).toEqual({ records: [SUCCESSOR, ROTATED, USED], more: false, activeKeys: 2 })
    const { uses: _uses, lastUsedAtMs: _at, ...record } = USED
    expect(await storage.findByHash(USED.hash)).toEqual(record)
    const events = await storage.events('ws', { after: null, limit: 9 })
    expect(events?.map(({ id }) => id)).toEqual(['evt_1', 'evt_2'])
    const claim = { relay: 'rly', leaseMs: 1_000, limit: 9, except: [] }
    expect(await storage.claimEvents(claim)).toEqual(events?.slice(1))
    const uses = [{ id: USED.id, uses: 2, lastUsedAtMs: 8_000 }]
    await storage.addUses({ writer: 'wrt', sequence: 3, uses })
    expect(await storage.findById('ws', USED.id)).toEqual(USED)
    await storage.addUses({ writer: 'wrt', sequence: 4, uses })
    expect(await storage.findById('ws', USED.id)).toMatchObject({ uses: 9, lastUsedAtMs: 8_000 })
    expect(raw.prepare('SELECT version FROM miftah_migrations').all()).toEqual(ALL_VERSIONS)
    expect(raw.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }])
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
