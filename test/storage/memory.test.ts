import { beforeEach, describe, expect, test, vi } from 'vitest'
import { memoryStorage } from '../../adapters/storage/memory.ts'
import {
  sampleCreatedEvent,
  sampleRecord,
  sampleRotateChange,
  storageContract,
} from '../../adapters/storage/testing/storage-contract.ts'
import type { KeyRecord, KeyStorage } from '../../src/storage/index.ts'

describe('memory storage keeps the storage contract', () => {
  for (const { name, run } of storageContract(memoryStorage)) test(name, run)
})

/** A storage that holds these records. */
async function storageWith(...records: readonly KeyRecord[]) {
  const storage = memoryStorage()
  for (const record of records) await storage.insert(record, null, sampleCreatedEvent(record))
  return storage
}

describe('hashes that begin alike', () => {
  const alike = (rest: string) => `0123abcd${rest.repeat(56)}`

  test('are compared whole', async () => {
    const records = ['0', '9', 'a', 'f'].map((rest) => sampleRecord({ hash: alike(rest) }))
    const storage = await storageWith(...records)
    for (const record of records) expect(await storage.findByHash(record.hash)).toEqual(record)
    expect(await storage.findByHash(alike('1'))).toBeNull()
  })
})

describe('what cannot be stored says why', () => {
  test('an id or a hash of another key', async () => {
    const record = sampleRecord()
    const storage = await storageWith(record)
    const insert = (other: KeyRecord) => storage.insert(other, null, sampleCreatedEvent(other))
    await expect(insert(sampleRecord({ id: record.id }))).rejects.toThrow(
      'Another key has this id.',
    )
    await expect(insert(sampleRecord({ hash: record.hash }))).rejects.toThrow(
      'Another key has this hash.',
    )
  })

  test('a replacement that is a key already', async () => {
    const [record, other] = [sampleRecord(), sampleRecord()]
    const storage = await storageWith(record, other)
    const change = { ...sampleRotateChange(record), replacement: other }
    await expect(storage.rotate(change)).rejects.toThrow(
      'Another key has the id or the hash of the replacement.',
    )
  })
})

describe('a lease', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['performance', 'Date'] })
    return () => vi.useRealTimers()
  })

  const claimBy = (storage: KeyStorage) => (relay: string) =>
    storage.claimEvents({ relay, leaseMs: 10, limit: 5, except: [] })

  test('is over in the very millisecond in which it ends', async () => {
    const claim = claimBy(await storageWith(sampleRecord()))
    expect(await claim('a')).toHaveLength(1)
    vi.advanceTimersByTime(9)
    expect(await claim('b')).toHaveLength(0)
    vi.advanceTimersByTime(1)
    expect(await claim('b')).toHaveLength(1)
  })

  test('is neither ended nor prolonged by a wall clock that is set', async () => {
    const claim = claimBy(await storageWith(sampleRecord()))
    vi.setSystemTime(Date.UTC(2026, 0, 2))
    expect(await claim('a')).toHaveLength(1)
    vi.setSystemTime(Date.UTC(2026, 0, 3))
    expect(await claim('b')).toHaveLength(0)
    vi.setSystemTime(Date.UTC(2026, 0, 1))
    vi.advanceTimersByTime(10)
    expect(await claim('b')).toHaveLength(1)
  })
})
