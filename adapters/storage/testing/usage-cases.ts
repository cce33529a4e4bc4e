import type { KeyUses } from '../../../src/storage/index.ts'
import { check, checkEqual } from './assertions.ts'
import {
  contractGroup,
  eventsOf,
  inParallel,
  inserted,
  insertedMany,
  recordOf,
  revokedBy,
  stored,
} from './contract-case.ts'
import { sampleRecord, sampleRevokeChange } from './samples.ts'

const DAY_MS = 86_400_000

/** `addUses` adds, once, and touches `uses` and `lastUsedAtMs` and nothing else. */
export const usageCases = contractGroup('usage', {
  'uses add up, lastUsedAtMs never goes back, and nothing else changes': async (storage) => {
    const record = await inserted(storage)
    await storage.addUses(batch(1, [{ id: record.id, uses: 2, lastUsedAtMs: 1_000 }]))
    await storage.addUses(batch(2, [{ id: record.id, uses: 2, lastUsedAtMs: 2_000 }]))
    await storage.addUses(batch(3, [{ id: record.id, uses: 1, lastUsedAtMs: 1_500 }]))
    const expected = { ...record, uses: 5, lastUsedAtMs: 2_000 }
    checkEqual(await stored(storage, record), expected, 'the key')
    checkEqual(await storage.findByHash(record.hash), recordOf(expected), 'the key by its hash')
    checkEqual((await eventsOf(storage, record.workspaceId)).length, 1, 'the number of events')
  },

  'an instant ahead of the clock counts as now and hides no later use': async (storage) => {
    const record = await inserted(storage)
    const aDayAhead = Date.now() + DAY_MS
    await storage.addUses(batch(1, [{ id: record.id, uses: 1, lastUsedAtMs: aDayAhead }]))
    const first = (await stored(storage, record)).lastUsedAtMs ?? 0
    check(first < aDayAhead - DAY_MS / 2, 'lastUsedAtMs is bounded by the storage’s clock')
    await storage.addUses(batch(2, [{ id: record.id, uses: 1, lastUsedAtMs: aDayAhead }]))
    const second = (await stored(storage, record)).lastUsedAtMs ?? 0
    check(second >= first && second < aDayAhead - DAY_MS / 2, 'a later use moves lastUsedAtMs')
  },

  'instant 0 is an instant': async (storage) => {
    const record = await inserted(storage)
    await storage.addUses(batch(1, [{ id: record.id, uses: 1, lastUsedAtMs: 0 }]))
    checkEqual(await stored(storage, record), { ...record, uses: 1, lastUsedAtMs: 0 }, 'the key')
  },

  'uses of a revoked key count and do not revive it': async (storage) => {
    const record = await inserted(storage)
    const change = sampleRevokeChange(record)
    await storage.revoke(change)
    await storage.addUses(batch(1, [{ id: record.id, uses: 4, lastUsedAtMs: 1_000 }]))
    const expected = { ...revokedBy(record, change), uses: 4, lastUsedAtMs: 1_000 }
    checkEqual(await stored(storage, record), expected, 'the key')
  },

  'ids that name no key are passed over': async (storage) => {
    const record = await inserted(storage)
    const unknown = { id: sampleRecord().id, uses: 9, lastUsedAtMs: 9_000 }
    await storage.addUses(batch(1, [unknown, { id: record.id, uses: 1, lastUsedAtMs: 1_000 }]))
    checkEqual((await stored(storage, record)).uses, 1, 'uses')
    checkEqual(await storage.findById(record.workspaceId, unknown.id), null, 'the unknown id')
  },

  'an empty batch is a batch': async (storage) => {
    const record = await inserted(storage)
    await storage.addUses(batch(1, []))
    await storage.addUses(batch(1, [{ id: record.id, uses: 1, lastUsedAtMs: 1_000 }]))
    checkEqual((await stored(storage, record)).uses, 0, 'uses after a repeat of batch 1')
  },

  'one batch sent 20 times at once counts once': async (storage) => {
    const record = await inserted(storage)
    const first = batch(1, [{ id: record.id, uses: 2, lastUsedAtMs: 1_000 }])
    await inParallel(20, () => storage.addUses(first))
    checkEqual((await stored(storage, record)).uses, 2, 'uses')
  },

  'a batch with an old sequence changes nothing': async (storage) => {
    const record = await inserted(storage)
    await storage.addUses(batch(7, [{ id: record.id, uses: 1, lastUsedAtMs: 1_000 }]))
    await storage.addUses(batch(6, [{ id: record.id, uses: 1, lastUsedAtMs: 9_000 }]))
    const expected = { ...record, uses: 1, lastUsedAtMs: 1_000 }
    checkEqual(await stored(storage, record), expected, 'the key')
  },

  'each writer numbers its own batches': async (storage) => {
    const record = await inserted(storage)
    const uses = [{ id: record.id, uses: 1, lastUsedAtMs: 1_000 }]
    for (const sequence of [1, 2, 3]) {
      await inParallel(10, (index) => storage.addUses({ writer: `w${index}`, sequence, uses }))
    }
    checkEqual((await stored(storage, record)).uses, 30, 'uses')
  },

  'counts go beyond 32 bits': async (storage) => {
    const record = await inserted(storage)
    const many = { id: record.id, uses: 3_000_000_000, lastUsedAtMs: 1_000 }
    for (const sequence of [1, 2, 3]) await storage.addUses(batch(sequence, [many]))
    checkEqual((await stored(storage, record)).uses, 9_000_000_000, 'uses')
  },

  'a batch of 25,000 keys is stored whole': async (storage) => {
    const records = await insertedMany(storage, 50)
    const uses = Array.from({ length: 25_000 }, (_, index) => {
      const id = index % 500 === 0 ? records[index / 500]?.id : undefined
      return { id: id ?? `key_unknown_${index}`, uses: index + 1, lastUsedAtMs: 1_000 + index }
    })
    await storage.addUses(batch(1, uses))
    for (const [index, record] of records.entries()) {
      const counted = { uses: index * 500 + 1, lastUsedAtMs: 1_000 + index * 500 }
      checkEqual(await stored(storage, record), { ...record, ...counted }, `key ${index}`)
    }
  },
})

function batch(sequence: number, uses: readonly KeyUses[]) {
  return { writer: 'writer_1', sequence, uses }
}
