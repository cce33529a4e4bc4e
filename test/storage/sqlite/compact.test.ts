import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { type SqliteStorage, sqliteStorage } from '../../../adapters/storage/sqlite.ts'
import { sampleCreatedEvent, sampleRecord } from '../../../adapters/storage/testing/samples.ts'
import { inserted } from '../../support/inserted.ts'
import { limited } from '../../support/limited.ts'
import { freshPath, rawAt, storageAt } from '../../support/sqlite-files.ts'

const FIRST_PAGE = { status: null, environment: null, atMs: 0, after: null, limit: 5 }
const WORKSPACE = 'ws_gone'
const PERSON = 'Person 7f3a'

/** 200 keys of two workspaces in turn, of which one is erased, and so is the creator of the other's. */
async function withErased(storage: SqliteStorage) {
  const records = Array.from({ length: 200 }, (_, index) =>
    index % 2 === 0
      ? sampleRecord({ workspaceId: WORKSPACE, name: `Name 5d1e ${index}` })
      : sampleRecord({ creator: { id: `u_${index}`, name: PERSON } }),
  )
  await Promise.all(
    records.map((record) => storage.insert(record, null, sampleCreatedEvent(record))),
  )
  const claim = { relay: 'r', leaseMs: 60_000, limit: 1_000, except: [] }
  const events = await storage.claimEvents(claim)
  const uses = records.map(({ id }) => ({ id, uses: 1, lastUsedAtMs: 1 }))
  await storage.addUses({ writer: 'w', sequence: 1, uses })
  await storage.acknowledgeEvents(
    'r',
    events.map(({ id }) => id),
  )
  for (const { creator } of records) await storage.erasePerson({ personId: creator.id, limit: 500 })
  await storage.eraseWorkspace({ workspaceId: WORKSPACE, erasedAtMs: Date.now(), limit: 500 })
  const isGone = ({ workspaceId }: { readonly workspaceId: string }) => workspaceId === WORKSPACE
  const gone = records.filter(isGone).flatMap(({ id, name }) => [id, name])
  const kept = records.filter((record) => !isGone(record)).map(({ id }) => id)
  return { erased: [PERSON, ...gone, ...events.filter(isGone).map(({ id }) => id)], kept }
}

/** Which of the texts are in the bytes of the file or of its log. */
function foundIn(path: string, texts: readonly string[]): readonly string[] {
  const files = [readFileSync(path), readFileSync(`${path}-wal`)]
  return texts.filter((text) => files.some((file) => file.includes(text)))
}

test('a file opened from a path holds nothing of what was erased, nor does its log', async () => {
  const path = freshPath()
  const storage = storageAt(path)
  const { erased, kept } = await withErased(storage)
  await storage.compact()
  expect(foundIn(path, erased)).toEqual([])
  expect(foundIn(path, kept)).toEqual(kept)
})

test('nor does that of a database which did not overwrite what it deleted', async () => {
  const path = freshPath()
  const database = rawAt(path)
  database.exec('PRAGMA journal_mode = WAL; PRAGMA secure_delete = OFF; PRAGMA synchronous = OFF')
  const storage = sqliteStorage(database)
  const { erased, kept } = await withErased(storage)
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  expect(foundIn(path, erased)).not.toEqual([])
  await storage.compact()
  expect(foundIn(path, erased)).toEqual([])
  expect(foundIn(path, kept)).toEqual(kept)
  expect((await storage.list('ws_sample', FIRST_PAGE))?.records).toHaveLength(5)
})

test('a reader of another process is waited for, and meanwhile changes go on', async () => {
  const path = freshPath()
  const storage = storageAt(path)
  await withErased(storage)
  const reader = rawAt(path)
  reader.exec('BEGIN')
  reader.prepare('SELECT count(*) FROM miftah_keys').get()
  // On a slow machine the first step takes all of the time.
  await expect(limited(storage, 500).compact()).rejects.toThrow(/is locked|all of its time/)
  const compacted = storage.compact()
  const record = await inserted(storage)
  expect(await storage.findByHash(record.hash)).toEqual(record)
  reader.exec('COMMIT')
  await compacted
  expect(readFileSync(`${path}-wal`)).toHaveLength(0)
})
