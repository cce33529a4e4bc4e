import { beforeEach, describe, expect, test, vi } from 'vitest'
import { memoryStorage } from '../../../adapters/storage/memory.ts'
import { UsageCounter } from '../../../src/authenticate/usage-counter.ts'
import { HostCalls, type Outage } from '../../../src/lib/host-calls.ts'
import type { UsageHistorySettings } from '../../../src/options.ts'
import type { UsageBatch } from '../../../src/storage/index.ts'
import { simulateTime } from '../../support/simulated-time.ts'
import { findById } from '../../support/stored.ts'
import { keyInput, openWorld, settled, until } from '../../support/world.ts'

simulateTime()

/** A counter whose batches are kept; `fail` says what becomes of each, and throws `refused` for good. */
function openCounter(intervalMs = 60_000, history: UsageHistorySettings | null = null) {
  const batches: UsageBatch[] = []
  const failures: unknown[] = []
  const box = { fail: (_: UsageBatch): Promise<void> | undefined => undefined }
  const storage = Object.assign(memoryStorage(), {
    addUses: async (batch: UsageBatch) => {
      batches.push(structuredClone(batch))
      await box.fail(batch)
    },
  })
  const onOutage = ({ error }: Outage) => failures.push(error)
  const calls = new HostCalls({ timeoutMs: 5_000, nowMs: Date.now, onOutage })
  const counter = new UsageCounter({ calls, storage, intervalMs, history })
  return { counter, batches, failures, box }
}

const history = { keepDays: 30 }
const refused = Object.assign(new Error('never'), { code: 'unstorable_value' })

const usesIn = (batches: readonly UsageBatch[]) =>
  batches.map(({ sequence, uses }) =>
    [sequence, ...uses.map((use) => `${use.id}×${use.uses}`)].join(' '),
  )

test('a counter adds up by key and keeps the latest moment', async () => {
  const { counter, batches } = openCounter()
  counter.count('a', 'accepted', 10)
  counter.count('b', 'accepted', 20)
  counter.count('a', 'accepted', 30)
  counter.count('a', 'accepted', 5)
  await counter.flush()
  expect(batches).toEqual([
    {
      writer: expect.stringMatching(/^wrt_.{21}$/),
      sequence: 1,
      uses: [
        { id: 'a', uses: 3, lastUsedAtMs: 30 },
        { id: 'b', uses: 1, lastUsedAtMs: 20 },
      ],
    },
  ])
  const other = openCounter()
  other.counter.count('a', 'accepted', 1)
  await other.counter.flush()
  expect(other.batches[0]?.writer).not.toBe(batches[0]?.writer)
})

describe('a batch that failed', () => {
  test('is sent again as it was, before what was counted since', async () => {
    const { counter, batches, box } = openCounter()
    counter.count('a', 'accepted', 1)
    box.fail = () => Promise.reject(new Error('down'))
    await expect(counter.flush()).rejects.toMatchObject({ cause: { message: 'down' } })
    counter.count('a', 'accepted', 2)
    await expect(counter.flush()).rejects.toMatchObject({ cause: { message: 'down' } })
    box.fail = () => undefined
    await counter.flush()
    expect(usesIn(batches)).toEqual(['1 a×1', '1 a×1', '1 a×1', '2 a×1'])
    expect(new Set(batches.slice(0, 3).map((batch) => JSON.stringify(batch))).size).toBe(1)
    await counter.flush()
    expect(batches).toHaveLength(4)
  })

  test('in the middle of many is sent again, and no other', async () => {
    const { counter, batches, box } = openCounter()
    for (let n = 0; n < 2_001; n += 1) counter.count(`key_${n}`, 'accepted', 1)
    box.fail = ({ sequence }) => (sequence === 2 ? Promise.reject(new Error('down')) : undefined)
    await expect(counter.flush()).rejects.toMatchObject({ cause: { message: 'down' } })
    box.fail = () => undefined
    await counter.flush()
    const sizes = batches.map(({ sequence, uses }) => `${sequence}: ${uses.length}`)
    expect(sizes).toEqual(['1: 1000', '2: 1000', '2: 1000', '3: 1'])
    expect(batches[2]).toEqual(batches[1])
    expect(new Set(batches.map(({ writer }) => writer)).size).toBe(1)
  })
})

describe('a batch that the storage refuses for good', () => {
  const outcomesIn = ({ history }: UsageBatch) =>
    (history?.counts ?? []).map(({ id, outcome, count }) => `${id} ${outcome}×${count}`)

  test('is separated, and only what is refused again is lost, and reported once', async () => {
    const { counter, batches, failures, box } = openCounter(60_000, history)
    counter.count('a', 'accepted', 1)
    counter.count('a', 'rate_limited', 1)
    counter.count('b', 'paused', 1)
    counter.count('b', 'rate_limited', 1)
    box.fail = async ({ history }) => {
      if (history?.counts.some(({ outcome }) => outcome === 'rate_limited')) throw refused
    }
    await counter.flush()
    const [whole, ...parts] = batches
    expect(whole?.sequence).toBe(1)
    expect(parts.map((batch) => [...usesIn([batch]), ...outcomesIn(batch)])).toEqual([
      ['2 a×1'],
      ['3', 'a accepted×1'],
      ['4', 'a rate_limited×1', 'b rate_limited×1'],
      ['5', 'b paused×1'],
    ])
    expect(failures).toMatchObject([
      { message: expect.stringContaining('"rate_limited"'), cause: refused },
    ])
    counter.count('a', 'accepted', 2)
    await counter.flush()
    expect(usesIn(batches.slice(5))).toEqual(['6 a×1'])
    expect(failures).toHaveLength(1)
  })

  test('has its uses reported like the rest', async () => {
    const { counter, failures, box } = openCounter()
    counter.count('a', 'accepted', 1)
    box.fail = () => Promise.reject(refused)
    await counter.flush()
    expect(failures).toMatchObject([{ message: expect.stringMatching(/ uses: /), cause: refused }])
  })
})

test('many keys at once leave the process its turns between batches', async () => {
  const { counter, box } = openCounter()
  const turnAt: number[] = []
  let turn = 0
  box.fail = () => {
    turnAt.push(turn)
    return undefined
  }
  for (let n = 0; n < 3_000; n += 1) counter.count(`key_${n}`, 'accepted', 1)
  const ticking = setInterval(() => {
    turn += 1
  }, 1)
  await counter.flush().finally(() => clearInterval(ticking))
  expect(new Set(turnAt).size).toBeGreaterThan(1)
})

test('a flush that fails in the background is an outage, and comes again', async () => {
  const { keys, stored, events, misbehaviour } = openWorld({ usageFlushMs: 20 })
  const { key, secret } = await keys.createKey(keyInput())
  misbehaviour.addUses = () => Promise.reject(new Error('connection lost'))
  await keys.authenticate(`Bearer ${secret}`, null)
  await until(() => events.some((event) => event.type === 'outage'))
  expect(events.at(-1)).toMatchObject({ type: 'outage', operation: 'addUses' })
  delete misbehaviour.addUses
  await settled(60)
  expect((await findById(stored, 'ws_1', key.id))?.uses).toBe(1)
})

describe('its timer', () => {
  beforeEach(() => {
    vi.useFakeTimers()
    return () => vi.useRealTimers()
  })

  test('rests while a batch is under way, and is one again for what comes meanwhile', async () => {
    const { counter, box } = openCounter()
    let release: () => void = () => {}
    box.fail = () => new Promise((resolve) => (release = resolve))
    counter.count('a', 'accepted', 1)
    const flush = counter.flush()
    await vi.advanceTimersByTimeAsync(0)
    // The time limit of the call.
    expect(vi.getTimerCount()).toBe(1)
    counter.count('b', 'accepted', 1)
    expect(vi.getTimerCount()).toBe(2)
    release()
    await flush
    expect(vi.getTimerCount()).toBe(1)
  })
})

describe('flush', () => {
  test('covers what was counted before the call, also while one is under way', async () => {
    const { counter, batches, box } = openCounter()
    const release: (() => void)[] = []
    box.fail = () => new Promise((resolve) => release.push(resolve))
    counter.count('a', 'accepted', 1)
    const first = counter.flush()
    await settled()
    counter.count('b', 'accepted', 2)
    const second = counter.flush()
    const third = counter.flush()
    release.shift()?.()
    await first
    await settled()
    release.shift()?.()
    await Promise.all([second, third])
    expect(usesIn(batches)).toEqual(['1 a×1', '2 b×1'])
  })

  test('never has two batches of one writer under way', async () => {
    let underWay = 0
    const { counter, batches, box } = openCounter(1)
    box.fail = async () => {
      underWay += 1
      expect(underWay).toBe(1)
      await settled(2)
      underWay -= 1
    }
    for (let round = 0; round < 20; round += 1) {
      counter.count('a', 'accepted', round)
      await Promise.race([counter.flush(), counter.flush(), settled(1)])
    }
    await counter.flush()
    expect(batches.reduce((sum, { uses }) => sum + (uses[0]?.uses ?? 0), 0)).toBe(20)
    expect(batches.map(({ sequence }) => sequence)).toEqual(batches.map((_, at) => at + 1))
  })
})

describe('with a history', () => {
  const HOUR_MS = 3_600_000
  const countsIn = (batches: readonly UsageBatch[]) =>
    batches.map((batch) =>
      (batch.history?.counts ?? []).map(
        ({ id, hour, outcome, count }) => `${id} ${hour} ${outcome}×${count}`,
      ),
    )

  test('a batch has its uses and its refusals by hour, and for how long they are kept', async () => {
    const { counter, batches } = openCounter(60_000, history)
    counter.count('a', 'accepted', HOUR_MS)
    counter.count('a', 'rate_limited', HOUR_MS + 1)
    counter.count('a', 'accepted', 2 * HOUR_MS - 1)
    counter.count('a', 'accepted', 2 * HOUR_MS)
    counter.count('a', 'rate_limited', 2 * HOUR_MS)
    counter.count('a', 'rate_limited', 2 * HOUR_MS)
    counter.count('b', 'revoked', 2 * HOUR_MS)
    // By a clock that was set back.
    counter.count('a', 'accepted', HOUR_MS)
    await counter.flush()
    expect(batches[0]?.uses).toEqual([{ id: 'a', uses: 4, lastUsedAtMs: 2 * HOUR_MS }])
    expect(batches[0]?.history).toMatchObject(history)
    expect(countsIn(batches)).toEqual([
      [
        'a 1 accepted×3',
        'a 1 rate_limited×1',
        'a 2 accepted×1',
        'a 2 rate_limited×2',
        'b 2 revoked×1',
      ],
    ])
  })

  test('a batch has at most 2,000 counts, and those of one key stay together', async () => {
    const { counter, batches } = openCounter(60_000, history)
    for (const id of ['a', 'b', 'c']) {
      for (let hour = 0; hour < 900; hour += 1) counter.count(id, 'accepted', hour * HOUR_MS)
    }
    for (let hour = 0; hour < 2_500; hour += 1) counter.count('d', 'accepted', hour * HOUR_MS)
    counter.count('e', 'accepted', 0)
    await counter.flush()
    expect(usesIn(batches)).toEqual(['1 a×900 b×900', '2 c×900', '3 d×2500', '4 e×1'])
    expect(countsIn(batches).map(({ length }) => length)).toEqual([1_800, 900, 2_500, 1])
  })
})
