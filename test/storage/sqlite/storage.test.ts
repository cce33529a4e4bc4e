import { readdirSync, readlinkSync } from 'node:fs'
import { DatabaseSync } from '@photostructure/sqlite'
import { describe, expect, test } from 'vitest'
import { isBusy, isConstraint } from '../../../adapters/storage/lib/sqlite/driver.ts'
import { setUp } from '../../../adapters/storage/lib/sqlite/session.ts'
import { prepareStatements } from '../../../adapters/storage/lib/sqlite/statements.ts'
import { sqliteSchema, sqliteStorage } from '../../../adapters/storage/sqlite.ts'
import {
  sampleCreatedEvent,
  sampleRecord,
  sampleRevokeChange,
  sampleRotateChange,
} from '../../../adapters/storage/testing/storage-contract.ts'
import { inserted } from '../../support/inserted.ts'
import { limited } from '../../support/limited.ts'
import { freshPath, rawAt, storageAt } from '../../support/sqlite-files.ts'

const FIRST_PAGE = { status: null, environment: null, atMs: 0, after: null, limit: 100 }

/** A storage with a key in it, and another connection to its file. */
async function withKey() {
  const path = freshPath()
  const [storage, record] = [storageAt(path), sampleRecord()]
  await storage.insert(record, null, sampleCreatedEvent(record))
  return { storage, record, raw: rawAt(path) }
}

function openHandles(path: string): number {
  const handles = readdirSync('/proc/self/fd').flatMap((handle) => {
    try {
      return [readlinkSync(`/proc/self/fd/${handle}`)]
    } catch {
      return []
    }
  })
  return handles.filter((target) => target.startsWith(path)).length
}

describe('the file', () => {
  test('in a folder that is missing: every call rejects with its path and what to do', async () => {
    const path = `${freshPath()}-folder/keys.db`
    const storage = storageAt(path)
    for (const call of [() => storage.migrate(), () => storage.findById('ws_1', 'key_1')]) {
      const error = await call().catch((reason: unknown) => reason)
      expect(error).toMatchObject({ name: 'StorageError', code: 'unavailable' })
      expect(String(error)).toContain(`SQLite cannot open the file ${path} (`)
      expect(String(error)).toContain('create its folder')
    }
  })

  test('a restart shows the same keys, events and undelivered events', async () => {
    const path = freshPath()
    const first = sqliteStorage(path)
    const record = sampleRecord()
    const event = sampleCreatedEvent(record)
    await first.insert(record, null, event)
    await first.close()
    const second = storageAt(path)
    expect(await second.findByHash(record.hash)).toEqual(record)
    expect(await second.events(record.workspaceId, { after: null, limit: 10 })).toEqual([event])
    const claim = { relay: 'a', leaseMs: 1_000, limit: 10, except: [] }
    expect(await second.claimEvents(claim)).toEqual([event])
  })

  test('is in WAL mode', async () => {
    const path = freshPath()
    await storageAt(path).migrate()
    expect(rawAt(path).prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' })
  })

  test('each commit waits for the disk', () => {
    const database = rawAt(freshPath())
    database.exec('PRAGMA synchronous = OFF')
    setUp(database)
    expect(database.prepare('PRAGMA synchronous').get()).toEqual({ synchronous: 2 })
  })

  test.runIf(process.platform === 'linux')('first uses at once open it once', async () => {
    const path = freshPath()
    const storage = storageAt(path)
    await Promise.all([storage.migrate(), storage.list('ws', FIRST_PAGE), storage.migrate()])
    // The file, its log and its index.
    expect(openHandles(path)).toBe(3)
  })
})

describe('a database that was passed in', () => {
  test('is used and left open', async () => {
    const database = rawAt(freshPath())
    const storage = sqliteStorage(database)
    const _record = await inserted(storage)
    await storage.close()
    const count = database.prepare('SELECT count(*) AS keys FROM miftah_keys').get()
    expect(count).toEqual({ keys: 1 })
    await expect(storage.findById('ws', 'key')).rejects.toMatchObject({ code: 'closed' })
  })

  test('keeps the settings of its owner', async () => {
    const database = rawAt(freshPath())
    database.exec('PRAGMA busy_timeout = 1234; PRAGMA synchronous = NORMAL')
    await sqliteStorage(database).migrate()
    expect(database.prepare('PRAGMA busy_timeout').get()).toEqual({ timeout: 1234 })
    expect(database.prepare('PRAGMA synchronous').get()).toEqual({ synchronous: 1 })
  })

  test('rejects inside a transaction of its owner, and changes nothing', async () => {
    const database = rawAt(freshPath())
    const storage = sqliteStorage(database)
    await storage.migrate()
    await storage.list('ws', FIRST_PAGE)
    database.exec('BEGIN')
    const record = sampleRecord()
    const insert = storage.insert(record, null, sampleCreatedEvent(record))
    await expect(insert).rejects.toThrow(/transaction within a transaction/)
    database.exec('COMMIT')
    expect(await storage.findByHash(record.hash)).toBeNull()
  })
})

describe('answering', () => {
  test('findByHash needs no promise once the file is open', async () => {
    const { storage, record } = await withKey()
    expect(storage.findByHash(record.hash)).toEqual(record)
    expect(storage.findByHash(sampleRecord().hash)).toBeNull()
  })

  test('a closed storage rejects everything', async () => {
    const storage = sqliteStorage(freshPath())
    await storage.migrate()
    await storage.close()
    await storage.close()
    const closed = { name: 'StorageError', code: 'closed' }
    await expect(storage.findByHash('0'.repeat(64))).rejects.toMatchObject(closed)
    await expect(storage.migrate()).rejects.toMatchObject(closed)
    await expect(storage.revoke(sampleRevokeChange(sampleRecord()))).rejects.toMatchObject(closed)
  })

  test('close waits for the changes under way', async () => {
    const path = freshPath()
    const storage = sqliteStorage(path)
    const records = Array.from({ length: 20 }, () => sampleRecord())
    const inserts = records.map((record) =>
      storage.insert(record, null, sampleCreatedEvent(record)),
    )
    await storage.close()
    expect(await Promise.all(inserts)).toEqual(records.map(() => ({ inserted: true })))
  })
})

describe('a locked database', () => {
  test('close waits for a change that waits, whatever is called meanwhile', async () => {
    const path = freshPath()
    const storage = sqliteStorage(path)
    const record = await inserted(storage)
    const raw = rawAt(path)
    raw.exec('BEGIN IMMEDIATE')
    const revoked = storage.revoke(sampleRevokeChange(record))
    const closed = storage.close()
    await expect(storage.revoke(sampleRevokeChange(record))).rejects.toThrow(/closed/)
    await new Promise((resolve) => setTimeout(resolve, 50))
    raw.exec('COMMIT')
    expect((await revoked).outcome).toBe('revoked')
    await closed
  })

  test('a file that cannot be set up yet rejects in time, and opens later', async () => {
    const path = freshPath()
    const raw = rawAt(path)
    raw.exec('BEGIN EXCLUSIVE; CREATE TABLE theirs (x)')
    const storage = storageAt(path)
    const hasty = limited(storage, 1_000)
    await expect(hasty.migrate()).rejects.toThrow(/locked/)
    await expect(hasty.findByHash('0'.repeat(64))).rejects.toThrow(/locked/)
    raw.exec('COMMIT')
    await storage.migrate()
    expect(await storage.findByHash('0'.repeat(64))).toBeNull()
  })

  test.each([
    [{ errcode: 5 }, true],
    [{ errcode: 261 }, true],
    [{ errcode: 19, code: 'ERR_SQLITE_ERROR' }, false],
    [{ code: 'SQLITE_BUSY_RECOVERY' }, true],
    [{ code: 'SQLITE_CONSTRAINT' }, false],
    [{ code: 'ERR_SQLITE_ERROR', message: 'database is locked' }, true],
    [{ code: 'ERR_SQLITE_ERROR', message: 'disk I/O error' }, false],
    ['busy', false],
    [null, false],
  ])('%j is told apart from other faults, whatever the driver', (error, expected) => {
    expect(isBusy(error)).toBe(expected)
  })

  test.each([
    [{ errcode: 275 }, true],
    [{ errcode: 5 }, false],
    [{ code: 'SQLITE_CONSTRAINT_TRIGGER' }, true],
    [{ code: 'SQLITE_FULL' }, false],
    [{}, false],
    ['constraint', false],
    [null, false],
  ])('%j is a refusal of values or none, whatever the driver', (error, expected) => {
    expect(isConstraint(error)).toBe(expected)
  })
})

describe('a change is whole or not at all', () => {
  test('a rotation whose event cannot be stored does not happen', async () => {
    const storage = storageAt(freshPath())
    const record = sampleRecord()
    const created = sampleCreatedEvent(record)
    await storage.insert(record, null, created)
    const change = sampleRotateChange(record)
    const event = { ...change.event, id: created.id }
    await expect(storage.rotate({ ...change, event })).rejects.toThrow(/is there already/)
    expect(storage.findByHash(record.hash)).toEqual(record)
    expect(storage.findByHash(change.replacement.hash)).toBeNull()
  })

  test('a key that is there was not made by a rotation that names it', async () => {
    const storage = storageAt(freshPath())
    const [revoked, other] = [sampleRecord(), sampleRecord()]
    for (const record of [revoked, other]) {
      await storage.insert(record, null, sampleCreatedEvent(record))
    }
    await storage.revoke(sampleRevokeChange(revoked))
    const change = sampleRotateChange(revoked)
    const outcome = await storage.rotate({ ...change, replacement: other })
    expect(outcome.outcome).toBe('stale')
  })

  test('a replacement in another workspace is refused', async () => {
    const { storage, record } = await withKey()
    const change = sampleRotateChange(record, { workspaceId: 'ws_other' })
    await expect(storage.rotate(change)).rejects.toThrow(/does not name this key/)
    expect(storage.findByHash(record.hash)).toEqual(record)
  })
})

describe('an invalid row', () => {
  const UNGUARDED = `PRAGMA ignore_check_constraints = ON;
    DROP TRIGGER miftah_keys_keep_what_they_are; DROP TRIGGER miftah_keys_count_their_changes;
    DROP TRIGGER miftah_keys_keep_texts_for_scopes`
  test('a hash of another length rejects', async () => {
    const { storage, record, raw } = await withKey()
    raw.exec(UNGUARDED)
    raw.exec("UPDATE miftah_keys SET hash = x'00'")
    await expect(storage.findById(record.workspaceId, record.id)).rejects.toMatchObject({
      ...{ code: 'broken_row', message: 'a stored row is invalid: column "hash"' },
    })
  })

  test('a count beyond 2^53 rejects', async () => {
    const { storage, record, raw } = await withKey()
    raw.exec('PRAGMA ignore_check_constraints = ON')
    raw.exec('UPDATE miftah_usage SET uses = 9007199254740993')
    await expect(storage.findById(record.workspaceId, record.id)).rejects.toThrow()
  })
})

describe('writers of uses', () => {
  test('are forgotten a month after their last batch', async () => {
    const path = freshPath()
    const storage = storageAt(path)
    const record = await inserted(storage)
    const uses = [{ id: record.id, uses: 1, lastUsedAtMs: 1 }]
    for (const writer of ['old', 'recent']) await storage.addUses({ writer, sequence: 1, uses })
    const raw = rawAt(path)
    raw.exec("UPDATE miftah_writers SET seen_at_s = unixepoch() - 31 * 86400 WHERE writer = 'old'")
    await storage.addUses({ writer: 'new', sequence: 1, uses })
    const writers = raw.prepare('SELECT writer FROM miftah_writers ORDER BY writer').all()
    expect(writers).toEqual([{ writer: 'new' }, { writer: 'recent' }])
  })

  test('are kept for that month, and looked at by the first batch of a writer alone', async () => {
    const path = freshPath()
    const storage = storageAt(path)
    for (const writer of ['a', 'b']) await storage.addUses({ writer, sequence: 1, uses: [] })
    const raw = rawAt(path)
    const writers = () => raw.prepare('SELECT writer FROM miftah_writers ORDER BY writer').all()
    const age = (days: number) =>
      raw.exec(`UPDATE miftah_writers SET seen_at_s = unixepoch() - ${days} * 86400
        WHERE writer = 'a'`)
    age(29)
    await storage.addUses({ writer: 'c', sequence: 1, uses: [] })
    age(31)
    await storage.addUses({ writer: 'b', sequence: 2, uses: [] })
    expect(writers()).toEqual([{ writer: 'a' }, { writer: 'b' }, { writer: 'c' }])
    await storage.addUses({ writer: 'd', sequence: 1, uses: [] })
    expect(writers()).toEqual([{ writer: 'b' }, { writer: 'c' }, { writer: 'd' }])
  })
})

test('no statement but those on the outbox and the lease reads a whole table', async () => {
  const database = new DatabaseSync(':memory:')
  database.exec(sqliteSchema())
  const statements: string[] = []
  prepareStatements({
    exec: (sql) => database.exec(sql),
    prepare: (sql) => {
      statements.push(sql)
      return database.prepare(sql)
    },
    close: () => database.close(),
  })
  const scans = statements
    .filter((sql) => /^(SELECT|UPDATE|DELETE)/.test(sql))
    .flatMap((sql) => database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all())
    .map(({ detail }: { readonly detail: string }) => detail)
    .filter(
      (detail) =>
        /SCAN|TEMP B-TREE/.test(detail) &&
        !/json_each|CONSTANT ROW|subquery|miftah_usage_retention/.test(detail),
    )
  // The history of a workspace adds up that of its keys, which it finds along their index.
  const added = Array(2).fill('USE TEMP B-TREE FOR GROUP BY')
  const small = ['SCAN o', 'SCAN o', 'SCAN miftah_lease', 'SCAN miftah_lease']
  expect(scans).toEqual([...added, ...small])
})
