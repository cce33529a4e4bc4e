import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { type SqliteStorage, sqliteStorage } from '../../../adapters/storage/sqlite.ts'
import { sampleEvent, sampleRecord } from '../../../adapters/storage/testing/samples.ts'
import { ERASED_PERSON, type KeyRecord } from '../../../src/storage/index.ts'
import { inserted } from '../../support/inserted.ts'
import { limited } from '../../support/limited.ts'
import { FIRST_PAGE, freshPath, rawAt, storageAt } from '../../support/sqlite-files.ts'

const WORKSPACE = 'ws_gone'
const PERSON = 'Person 7f3a'

/** 100 keys of each of two workspaces, of which one is erased, and so is the creator of the other's. */
async function withErased(storage: SqliteStorage) {
  const made = (fields: (at: number) => Partial<KeyRecord>) =>
    Array.from({ length: 100 }, (_, at) => sampleRecord(fields(at)))
  const gone = made((at) => ({ workspaceId: WORKSPACE, name: `Name 5d1e ${at}` }))
  const kept = made((at) => ({ creator: { id: `u_${at}`, name: PERSON } }))
  const write = (records: readonly KeyRecord[], ifEdition: number | null) => {
    const keys = records.map((record) => ({ record, ifEdition }))
    const events = ifEdition === null ? records.map((record) => sampleEvent(record)) : []
    const [{ workspaceId } = sampleRecord()] = records
    return storage.write([{ workspaceId, ifAddedAtMost: null, adds: 0, keys, events }])
  }
  await write(gone, null)
  await write(kept, null)
  const claim = { relay: 'r', leaseMs: 60_000, limit: 1_000, except: [] }
  const ids = (await storage.claimEvents(claim)).map(({ id }) => id)
  const uses = gone.map(({ id }) => ({ id, uses: 1, lastUsedAtMs: 1 }))
  await storage.addUses({ writer: 'w', sequence: 1, uses })
  await storage.acknowledgeEvents('r', ids)
  const revoked = gone.map((record) => ({ ...record, revokedAtMs: 1 }))
  await write(revoked, 1)
  const renamed = kept.map((record) => ({ ...record, creator: ERASED_PERSON }))
  await write(renamed, 1)
  await storage.closeWorkspace(WORKSPACE)
  await storage.deleteWorkspace({ workspaceId: WORKSPACE, limit: 500 })
  // The events of the erased workspace came first.
  const erased = [...gone.flatMap(({ id, name }) => [id, name]), ...ids.slice(0, gone.length)]
  return { erased: [PERSON, ...erased], kept: kept.map(({ id }) => id) }
}

/** Which of the texts are in the bytes of the file or of its log. */
function foundIn(path: string, texts: readonly string[]): readonly string[] {
  const files = [readFileSync(path), readFileSync(`${path}-wal`)]
  return texts.filter((text) => files.some((file) => file.includes(text)))
}

test.each(['ON', 'OFF'])(
  'neither the file nor its log holds what was erased, with secure_delete %s until then',
  async (isOverwritten) => {
    const path = freshPath()
    const database = rawAt(path)
    const pragmas = `journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA secure_delete`
    database.exec(`PRAGMA ${pragmas} = ${isOverwritten}`)
    const storage = sqliteStorage(database)
    const { erased, kept } = await withErased(storage)
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    if (isOverwritten === 'OFF') expect(foundIn(path, erased)).not.toEqual([])
    await storage.compact()
    expect(foundIn(path, erased)).toEqual([])
    expect(foundIn(path, kept)).toEqual(kept)
    expect((await storage.list('ws_sample', FIRST_PAGE)).keys).toHaveLength(100)
  },
)

test('a reader of another process is waited for, and meanwhile changes go on', async () => {
  const path = freshPath()
  const storage = storageAt(path)
  await withErased(storage)
  const reader = rawAt(path)
  reader.exec('BEGIN')
  reader.prepare('SELECT count(*) FROM miftah_keys').get()
  // On a slow machine the first step takes all of the time.
  await expect(limited(storage, 500).compact()).rejects.toThrow(/locked|all of its time/)
  const compacted = storage.compact()
  const record = await inserted(storage)
  expect(await storage.findByHash(record.hash)).toEqual(record)
  reader.exec('COMMIT')
  await compacted
  expect(readFileSync(`${path}-wal`)).toHaveLength(0)
})
