import { afterEach, describe, expect, test } from 'vitest'
import { memoryStorage } from '../../../adapters/storage/memory.ts'
import { sampleRecord } from '../../../adapters/storage/testing/samples.ts'
import { type NoticeOptions, type NoticeWriter, writeNotices } from '../../../src/events/index.ts'
import { noticeFor } from '../../../src/events/write-notices.ts'
import { nextNoticeAt } from '../../../src/model/status.ts'
import { inBatches } from '../../support/in-batches.ts'
import { DAY_MS, eventsOf, later, worldWithKey } from '../../support/lifecycle/world.ts'
import { simulateTime } from '../../support/simulated-time.ts'
import { viewOf } from '../../support/stored.ts'
import { action, keyInput, START_MS, settled } from '../../support/world.ts'

simulateTime()

const END_MS = 30 * DAY_MS

describe('the next notice', () => {
  const lifetime = { expiresAtMs: END_MS, retiresAtMs: null, revokedAtMs: null, pausedAtMs: null }
  test.each([
    [0, {}, 23 * DAY_MS],
    [23 * DAY_MS - 1, {}, 23 * DAY_MS],
    [23 * DAY_MS, {}, 29 * DAY_MS],
    [29 * DAY_MS, {}, END_MS],
    [END_MS + DAY_MS, {}, END_MS],
    [0, { retiresAtMs: 5 }, 5],
    // Revoked after its overlap.
    [9, { retiresAtMs: 5, revokedAtMs: 5 }, 5],
    [0, { expiresAtMs: null }, null],
    [0, { revokedAtMs: 1 }, null],
    [0, { retiresAtMs: 5, revokedAtMs: 1 }, null],
  ])('after %i of a key with %j is due at %s', (afterMs, fields, dueMs) => {
    expect(nextNoticeAt({ ...lifetime, ...fields }, afterMs)).toBe(dueMs)
  })
})

describe('a notice', () => {
  test.each([
    // When it is due, when it is written, and what it says.
    [23 * DAY_MS, 23 * DAY_MS, 'api_key.expiring', 23 * DAY_MS, 29 * DAY_MS],
    [29 * DAY_MS, 29 * DAY_MS, 'api_key.expiring', 29 * DAY_MS, END_MS],
    [END_MS, END_MS, 'api_key.expired', END_MS, null],
    // A late one is about the last that has come, to the millisecond.
    [23 * DAY_MS, 29 * DAY_MS - 1, 'api_key.expiring', 23 * DAY_MS, 29 * DAY_MS],
    [23 * DAY_MS, 29 * DAY_MS, 'api_key.expiring', 29 * DAY_MS, END_MS],
  ])('due at %i and written at %i: %s', (noticeAtMs, nowMs, type, atMs, nextAtMs) => {
    const notice = noticeFor(sampleRecord({ expiresAtMs: END_MS, noticeAtMs }), nowMs)
    expect(notice).toMatchObject({ nextAtMs, event: { type, atMs } })
  })

  test.each([{}, { retiresAtMs: 5 }, { replacedBy: 'key_2' }])(
    'of a key without an end is an error of the storage: %j',
    (fields) => {
      const record = sampleRecord({ expiresAtMs: null, noticeAtMs: 5, ...fields })
      const message = 'The storage answered with a notice for a key that has no end.'
      expect(() => noticeFor(record, 5)).toThrow(new TypeError(message))
    },
  )
})

const open: NoticeWriter[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((writer) => writer.stop()))
})

/** A world with a key that expires, and a writer that has its clock. */
async function worldWith(expiresInMs: number, batch = 100) {
  const opened = await worldWithKey({ expiresAt: later(expiresInMs) })
  const { world } = opened
  const errors: unknown[] = []
  const start = (options: Partial<NoticeOptions> = {}) => {
    const now = () => new Date(world.nowMs)
    const onError = (error: unknown) => void errors.push(error)
    const storage = inBatches(world.storage, batch)
    const writer = writeNotices({ storage, pollMs: 1, now, onError, ...options })
    open.push(writer)
    return writer
  }
  /** What is in the log some time after the clock was set. */
  const logAt = async (ms: number) => {
    world.nowMs = START_MS + ms
    await settled(20)
    return (await eventsOf(world)).slice(1)
  }
  world.asked()
  return { ...opened, errors, start, logAt }
}

describe('writeNotices', () => {
  test('reports an expiry 7 days and 1 day before, and when it comes', async () => {
    const { keys, key, start, logAt } = await worldWith(END_MS)
    start()
    expect(await logAt(23 * DAY_MS - 1)).toEqual([])
    expect(await logAt(23 * DAY_MS)).toHaveLength(1)
    expect(await logAt(29 * DAY_MS)).toHaveLength(2)
    expect(await logAt(END_MS)).toEqual(['expiring', 'expiring', 'expired'])
    const { name, environment, scopes, prefix } = key
    const expiresAt = key.expiresAt?.toISOString()
    const { events } = await keys.listEvents({ workspaceId: 'ws_1' })
    for (const [at, day] of [23, 29, 30].entries()) {
      expect(events[at + 1]).toEqual({
        ...{ id: expect.stringMatching(/^evt_/), workspaceId: 'ws_1', keyId: key.id },
        ...{ type: expect.any(String), actor: { id: 'miftah:system', name: 'miftah' } },
        ...{ at: later(day * DAY_MS), data: { name, environment, scopes, prefix, expiresAt } },
      })
    }
  })

  test('from four writers at once reports each once', async () => {
    const { start, logAt } = await worldWith(END_MS)
    for (let at = 0; at < 4; at += 1) start()
    for (const day of [23, 29]) await logAt(day * DAY_MS)
    expect(await logAt(END_MS)).toEqual(['expiring', 'expiring', 'expired'])
  })

  test('reports an expiry anew when it has moved', async () => {
    const { start, logAt, update } = await worldWith(8 * DAY_MS)
    start()
    expect(await logAt(2 * DAY_MS)).toEqual(['expiring'])
    await update({ expiresAt: later(32 * DAY_MS) })
    expect(await logAt(24 * DAY_MS)).toEqual(['expiring', 'updated'])
    expect(await logAt(25 * DAY_MS)).toEqual(['expiring', 'updated', 'expiring'])
  })

  test('reports the end of an overlap, unless it was ended early', async () => {
    const { world, keys, key, one, start, logAt } = await worldWith(END_MS)
    const { key: successor } = await keys.rotateKey({ ...one, overlapSeconds: 60 })
    const other = action((await keys.createKey(keyInput())).key.id)
    await keys.rotateKey({ ...other, overlapSeconds: 60 })
    await keys.revokeKey(other)
    start()
    const before = await logAt(59_999)
    expect(await logAt(60_000)).toEqual([...before, 'retired'])
    const data = { replacementId: successor.id, overlapEndsAt: later(60_000).toISOString() }
    const { events } = await world.keys.listEvents({ workspaceId: 'ws_1' })
    expect(events.at(-1)).toMatchObject({ keyId: key.id, at: later(60_000), data })
  })

  test('writes more than a batch without a pause', async () => {
    const { keys, start, logAt } = await worldWith(DAY_MS, 3)
    const fields = { workspaceId: 'ws_2', expiresAt: later(DAY_MS) }
    for (let at = 0; at < 4; at += 1) await keys.createKey(keyInput(fields))
    await logAt(DAY_MS)
    start({ pollMs: 60_000 })
    expect(await logAt(DAY_MS)).toEqual(['expired'])
    const { events } = await keys.listEvents({ workspaceId: 'ws_2' })
    expect(events.filter(({ type }) => type === 'api_key.expired')).toHaveLength(4)
  })

  test('reports a storage that fails or answers nonsense, and looks again', async () => {
    const { world, keys, errors, start, logAt } = await worldWith(DAY_MS)
    const { key } = await keys.createKey(keyInput())
    const { keys: endless } = await world.stored.read(viewOf('ws_1', [key.id]))
    const answers = ['notices', [{ record: {} }], endless]
    world.misbehaviour.due = async () => {
      if (answers.length === 0) delete world.misbehaviour.due
      return answers.shift() ?? Promise.reject(new Error('down'))
    }
    start()
    expect(await logAt(DAY_MS)).toEqual(['created', 'expired'])
    expect(errors).toHaveLength(4)
  })

  test('stops at once in a pause, and after a round that is under way', async () => {
    const { world, start, logAt } = await worldWith(DAY_MS)
    const writer = start({ pollMs: 60_000 })
    await settled(5)
    await writer.stop()
    await writer.stop()
    expect(await logAt(DAY_MS)).toEqual([])
    world.asked()
    await start().stop()
    expect(world.asked()).toEqual(['due', 'write'])
    expect(await logAt(DAY_MS)).toEqual(['expired'])
  })

  test.each([
    ['stored', ['due', 'write', 'due']],
    ['refused', ['due', 'write']],
  ])('looks again at once only when something was stored: %s', async (outcome, asked) => {
    const { world, start } = await worldWith(DAY_MS)
    if (outcome === 'refused') world.misbehaviour.write = async () => [{ outcome }]
    world.nowMs += DAY_MS
    start({ pollMs: 60_000 })
    await settled(10)
    expect(world.asked()).toEqual(asked)
  })

  test('works with its defaults: its clock is the system clock', async () => {
    const queries: unknown[] = []
    const due = async (query: unknown) => {
      queries.push(query)
      return []
    }
    const beforeMs = Date.now()
    await writeNotices({ storage: { ...memoryStorage(), due } }).stop()
    expect(queries).toEqual([{ atMs: beforeMs, limit: 100 }])
  })

  test('reports a clock without a time, and calls no storage', async () => {
    const { world, errors, start } = await worldWith(DAY_MS)
    start({ now: () => new Date(Number.NaN), pollMs: 60_000 })
    await settled(5)
    expect(errors).toEqual([new TypeError('writeNotices: option "now" must answer a valid Date.')])
    expect(world.asked()).toEqual([])
  })

  test('gives a storage its time, and no more', async () => {
    const { world, errors, start } = await worldWith(DAY_MS)
    world.misbehaviour.due = () => new Promise(() => {})
    start({ storageTimeoutMs: 20, pollMs: 60_000 })
    await settled(30)
    expect(errors).toEqual([new Error('no answer in 20 ms')])
  })
})
