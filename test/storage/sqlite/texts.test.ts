import { beforeEach, describe, expect, test } from 'vitest'
import type { SqliteStorage } from '../../../adapters/storage/sqlite.ts'
import { sampleCreatedEvent, sampleRecord } from '../../../adapters/storage/testing/samples.ts'
import type { AuditEventRecord, KeyRecord } from '../../../src/storage/index.ts'
import { freshPath, storageAt } from '../../support/sqlite-files.ts'

// A driver may cut a text at U+0000: what is asked for by such a text is not what is found by its
// beginning.

const PAGE = { status: null, environment: null, atMs: 0, after: null, limit: 5 } as const
const refused = { name: 'StorageError', code: 'unstorable_value' }

let storage: SqliteStorage
let record: KeyRecord
let event: AuditEventRecord

const cut = (text: string) => `${text}\u0000`

beforeEach(async () => {
  storage = storageAt(freshPath())
  record = sampleRecord()
  event = sampleCreatedEvent(record)
  await storage.insert(record, null, event)
})

describe('a text that SQLite cannot hold', () => {
  test('names no workspace: its pages are empty, and follow nothing', async () => {
    const bad = cut(record.workspaceId)
    const empty = { records: [], more: false, activeKeys: 0, total: 0 }
    expect(await storage.list(bad, PAGE)).toEqual(empty)
    expect(await storage.list(bad, { ...PAGE, after: record.id })).toBeNull()
    expect(await storage.events(bad, { after: null, limit: 5 })).toEqual([])
    expect(await storage.events(bad, { after: event.id, limit: 5 })).toBeNull()
  })

  test('is no place in a list', async () => {
    const { workspaceId } = record
    expect(await storage.list(workspaceId, { ...PAGE, after: cut(record.id) })).toBeNull()
    expect(await storage.events(workspaceId, { after: cut(event.id), limit: 5 })).toBeNull()
  })

  test('names no event to settle and no key to count', async () => {
    const claim = { relay: 'r', leaseMs: 1_000, limit: 5, except: [] }
    await storage.claimEvents(claim)
    await storage.acknowledgeEvents('r', [cut(event.id)])
    const except = [cut(event.workspaceId)]
    expect(await storage.claimEvents({ ...claim, except })).toEqual([event])
    await storage.releaseEvents(cut('r'))
    expect(await storage.claimEvents({ ...claim, relay: 'other' })).toEqual([])
    const uses = [{ id: cut(record.id), uses: 1, lastUsedAtMs: 1 }]
    await storage.addUses({ writer: 'w', sequence: 1, uses })
    expect(await storage.findByHash(record.hash)).toEqual(record)
  })

  test('is no relay and no writer', async () => {
    const claim = { relay: cut('r'), leaseMs: 1_000, limit: 5, except: [] }
    await expect(storage.claimEvents(claim)).rejects.toMatchObject(refused)
    const batch = { writer: cut('w'), sequence: 1, uses: [] }
    await expect(storage.addUses(batch)).rejects.toMatchObject(refused)
  })
})

describe('what is no such number or hash', () => {
  test('a claim with half a millisecond', async () => {
    const claim = { relay: 'r', leaseMs: 0.5, limit: 5, except: [] }
    await expect(storage.claimEvents(claim)).rejects.toMatchObject(refused)
  })

  test('a batch with half a sequence', async () => {
    const batch = { writer: 'w', sequence: 0.5, uses: [] }
    await expect(storage.addUses(batch)).rejects.toMatchObject(refused)
  })

  test('uses that are none', async () => {
    const uses = [{ id: record.id, uses: 0, lastUsedAtMs: 1 }]
    await expect(storage.addUses({ writer: 'w', sequence: 1, uses })).rejects.toMatchObject({
      ...{ ...refused, message: 'uses to add must be at least 1' },
    })
  })

  test('a hash that is none', async () => {
    const bad = sampleRecord({ hash: 'AB'.repeat(32) })
    await expect(storage.insert(bad, null, sampleCreatedEvent(bad))).rejects.toMatchObject({
      ...{ ...refused, message: 'a hash must be 64 lower-case hex digits' },
    })
  })
})
