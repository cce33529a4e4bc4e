import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { memoryStorage } from '../../adapters/storage/memory.ts'
import { sampleInsertion, sampleRecord } from '../../adapters/storage/testing/samples.ts'
import type { KeyRecord, KeyStorage } from '../../src/storage/index.ts'
import { contractInMemory } from '../support/memory-contract.ts'

describe('memory storage keeps the storage contract', () => {
  for (const { name, run } of contractInMemory(memoryStorage)) test(name, run)
})

/** A storage that holds these records. */
async function storageWith(...records: readonly KeyRecord[]) {
  const storage = memoryStorage()
  for (const record of records) await storage.write([sampleInsertion(record)])
  return storage
}

test('hashes that begin alike are compared whole', async () => {
  const alike = (rest: string) => `0123abcd${rest.repeat(56)}`
  const records = ['0', '9', 'a', 'f'].map((rest) => sampleRecord({ hash: alike(rest) }))
  const storage = await storageWith(...records)
  for (const record of records) expect(storage.findByHash(record.hash)).toEqual(record)
  expect(storage.findByHash(alike('1'))).toBeNull()
})

describe('a lease', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['performance', 'Date'] })
  })
  afterEach(() => {
    vi.useRealTimers()
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
