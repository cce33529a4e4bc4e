import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { memoryStorage } from '../../adapters/storage/memory.ts'
import { inserted } from '../support/inserted.ts'
import { contractInMemory } from '../support/memory-contract.ts'

describe('memory storage keeps the storage contract', () => {
  for (const { name, run } of contractInMemory(memoryStorage)) test(name, run)
})

describe('a lease', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['performance', 'Date'] })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  /** Claims the event of a key. */
  async function opened() {
    const storage = memoryStorage()
    await inserted(storage)
    return (relay: string) => storage.claimEvents({ relay, leaseMs: 10, limit: 5, except: [] })
  }

  test('is over in the very millisecond in which it ends', async () => {
    const claim = await opened()
    expect(await claim('a')).toHaveLength(1)
    vi.advanceTimersByTime(9)
    expect(await claim('b')).toHaveLength(0)
    vi.advanceTimersByTime(1)
    expect(await claim('b')).toHaveLength(1)
  })

  test('is neither ended nor prolonged by a wall clock that is set', async () => {
    const claim = await opened()
    vi.setSystemTime(Date.UTC(2026, 0, 2))
    expect(await claim('a')).toHaveLength(1)
    vi.setSystemTime(Date.UTC(2026, 0, 3))
    expect(await claim('b')).toHaveLength(0)
    vi.setSystemTime(Date.UTC(2026, 0, 1))
    vi.advanceTimersByTime(10)
    expect(await claim('b')).toHaveLength(1)
  })
})
