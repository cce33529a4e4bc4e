import { describe, expect, test, vi } from 'vitest'
import type { KeyStorage } from '../../src/storage/index.ts'
import { DATABASES } from '../support/databases.ts'
import { inserted } from '../support/inserted.ts'

/* A lease is measured by the clock of the database; memory.test.ts has that of memory. */

const HOUR_MS = 3_600_000

/** Runs with the clock of this process moved, as in a process on another machine. */
async function withClock<T>(aheadMs: number, work: () => Promise<T>): Promise<T> {
  const now = Date.now
  const moved = vi.spyOn(Date, 'now').mockImplementation(() => now() + aheadMs)
  return work().finally(() => moved.mockRestore())
}

function claim(storage: KeyStorage, relay: string, leaseMs: number) {
  return storage.claimEvents({ relay, leaseMs, limit: 5, except: [] })
}

describe.each(DATABASES)('the lease on $database', ({ isThere, places }) => {
  if (!isThere) return test.skip('needs a server')
  const place = places()

  async function withEvent() {
    const { open, run } = await place()
    const storage = open()
    await inserted(storage)
    return { storage, run }
  }

  test('a process whose clock is ahead takes no lease from another', async () => {
    const { storage } = await withEvent()
    expect(await claim(storage, 'a', HOUR_MS / 2)).toHaveLength(1)
    expect(await withClock(HOUR_MS, () => claim(storage, 'b', 1_000))).toEqual([])
  })

  test('a process whose clock is ahead keeps it no longer than its lease', async () => {
    const { storage } = await withEvent()
    expect(await withClock(HOUR_MS, () => claim(storage, 'a', 50))).toHaveLength(1)
    await expect.poll(() => claim(storage, 'b', HOUR_MS)).toHaveLength(1)
  })

  test('one from before the clock of the database was set back ends', async () => {
    const { storage, run } = await withEvent()
    await claim(storage, 'a', 60_000)
    const later = (ms: number) =>
      run(`UPDATE miftah_relay SET leased_until_ms = leased_until_ms + ${ms}`)
    await later(50_000)
    expect(await claim(storage, 'b', 60_000)).toEqual([])
    await later(HOUR_MS)
    expect(await claim(storage, 'b', 60_000)).toHaveLength(1)
  })
})
