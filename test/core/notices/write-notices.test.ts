import { afterEach, describe, expect, test } from 'vitest'
import { memoryStorage } from '../../../adapters/storage/memory.ts'
import { type NoticeOptions, type NoticeWriter, writeNotices } from '../../../src/events/index.ts'
import type { KeyStorage } from '../../../src/storage/index.ts'
import { inBatches } from '../../support/in-batches.ts'
import { simulateTime } from '../../support/simulated-time.ts'
import { action, keyInput, openWorld, START_MS, settled, until } from '../../support/world.ts'

simulateTime()

const DAY_MS = 86_400_000

const open: NoticeWriter[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((writer) => writer.stop()))
})

/** A world whose clock the writer has too. */
async function worldWith(expiresInMs: number, options: Partial<NoticeOptions> = {}) {
  const storage = options.storage ?? memoryStorage()
  const world = openWorld({ storage })
  const { keys } = world
  const expiresAt = new Date(START_MS + expiresInMs)
  const { key } = await keys.createKey(keyInput({ expiresAt }))
  const errors: unknown[] = []
  const start = () => {
    const now = () => new Date(world.nowMs)
    const onError = (error: unknown) => void errors.push(error)
    const writer = writeNotices({ storage, pollMs: 1, now, onError, ...options })
    open.push(writer)
    return writer
  }
  const logged = async () => (await keys.listEvents({ workspaceId: 'ws_1' })).events.slice(1)
  const types = async () => (await logged()).map(({ type }) => type.replace('api_key.', ''))
  /** Waits until so many notices are there, and a little longer. */
  const wait = async (count: number) => {
    for (let round = 0; (await logged()).length < count && round < 2_000; round += 1)
      await settled(1)
    await settled(10)
    return types()
  }
  return { world, keys, key, errors, start, logged, wait }
}

/** A storage in memory that notes which of the two verbs are called, or answers them so. */
function recorded(answers: Readonly<Record<string, (...args: never[]) => unknown>> = {}) {
  const asked: string[] = []
  const storage = new Proxy(memoryStorage(), {
    get: (target, verb: keyof KeyStorage) => {
      return (...args: unknown[]) => {
        const answer = verb === 'due' || asked.length > 0 ? answers[verb] : undefined
        const method = (answer ?? target[verb]) as (...args: unknown[]) => unknown
        if (verb === 'due' || (verb === 'write' && asked.length > 0)) asked.push(verb)
        return method.apply(target, args)
      }
    },
  })
  return { storage, asked }
}

describe('writeNotices', () => {
  test('reports an expiry 7 days and 1 day before, and when it comes', async () => {
    const { world, key, start, logged, wait } = await worldWith(30 * DAY_MS)
    start()
    world.nowMs = START_MS + 23 * DAY_MS - 1
    expect(await wait(0)).toEqual([])
    for (const [day, count] of [
      [23, 1],
      [29, 2],
      [30, 3],
    ] as const) {
      world.nowMs = START_MS + day * DAY_MS
      expect(await wait(count)).toHaveLength(count)
    }
    const expiresAt = key.expiresAt?.toISOString()
    const actor = { id: 'miftah:system', name: 'miftah' }
    const common = { workspaceId: 'ws_1', keyId: key.id, actor }
    const { name, environment, scopes, prefix } = key
    const data = { name, environment, scopes, prefix, expiresAt }
    expect(await logged()).toEqual(
      [
        ['api_key.expiring', 23],
        ['api_key.expiring', 29],
        ['api_key.expired', 30],
      ].map(([type, day]) => ({
        ...common,
        id: expect.stringMatching(/^evt_/),
        type,
        at: new Date(START_MS + Number(day) * DAY_MS),
        data,
      })),
    )
  })

  test('from four writers at once, each once', async () => {
    const { world, start, wait } = await worldWith(30 * DAY_MS)
    for (let at = 0; at < 4; at += 1) start()
    for (const day of [23, 29, 30]) {
      world.nowMs = START_MS + day * DAY_MS
      await settled(5)
    }
    expect(await wait(3)).toEqual(['expiring', 'expiring', 'expired'])
  })

  test('after a long silence says only what holds', async () => {
    const { world, start, wait } = await worldWith(30 * DAY_MS)
    world.nowMs = START_MS + 29.5 * DAY_MS
    start()
    expect(await wait(1)).toEqual(['expiring'])
    world.nowMs = START_MS + 90 * DAY_MS
    expect(await wait(2)).toEqual(['expiring', 'expired'])
  })

  test('reports an expiry anew when it has moved', async () => {
    const { world, keys, key, start, wait } = await worldWith(8 * DAY_MS)
    start()
    world.nowMs = START_MS + 2 * DAY_MS
    expect(await wait(1)).toEqual(['expiring'])
    const expiresAt = new Date(world.nowMs + 30 * DAY_MS)
    await keys.updateKey({ ...action(key.id), version: 1, change: { expiresAt } })
    world.nowMs = expiresAt.getTime() - 7 * DAY_MS
    expect(await wait(3)).toEqual(['expiring', 'updated', 'expiring'])
  })

  test('reports the end of an overlap, unless it was ended early', async () => {
    const { world, keys, key, start, logged, wait } = await worldWith(30 * DAY_MS)
    const { key: successor } = await keys.rotateKey({ ...action(key.id), overlapSeconds: 60 })
    const other = await keys.createKey(keyInput())
    await keys.rotateKey({ ...action(other.key.id), overlapSeconds: 60 })
    await keys.revokeKey(action(other.key.id))
    const before = (await logged()).length
    start()
    world.nowMs = START_MS + 59_999
    expect(await wait(before)).toHaveLength(before)
    world.nowMs = START_MS + 60_000
    expect((await wait(before + 1)).slice(before)).toEqual(['retired'])
    const overlapEndsAt = new Date(START_MS + 60_000).toISOString()
    expect((await logged()).at(-1)).toMatchObject({
      ...{ keyId: key.id, at: new Date(START_MS + 60_000) },
      data: { replacementId: successor.id, overlapEndsAt },
    })
  })

  test('reports the end of an overlap also when the key is revoked after it', async () => {
    const { world, keys, key, start, wait } = await worldWith(30 * DAY_MS)
    await keys.rotateKey({ ...action(key.id), overlapSeconds: 60 })
    world.nowMs = START_MS + 61_000
    await keys.revokeKey(action(key.id))
    start()
    expect(await wait(2)).toEqual(['rotated', 'retired'])
  })

  test('writes more than a batch without a pause', async () => {
    const { world, keys, start, wait } = await worldWith(DAY_MS, {
      storage: inBatches(memoryStorage(), 3),
      pollMs: 60_000,
    })
    const expiresAt = new Date(START_MS + DAY_MS)
    for (let at = 0; at < 4; at += 1) {
      await keys.createKey(keyInput({ workspaceId: 'ws_2', expiresAt }))
    }
    world.nowMs += DAY_MS
    start()
    expect(await wait(1)).toEqual(['expired'])
    const { events } = await keys.listEvents({ workspaceId: 'ws_2' })
    expect(events.filter(({ type }) => type === 'api_key.expired')).toHaveLength(4)
  })

  test('a storage that fails or answers nonsense is reported and retried', async () => {
    const good = memoryStorage()
    const answers: (() => unknown)[] = [
      () => Promise.reject(new Error('down')),
      async () => 'notices',
      async () => [{ record: {} }],
    ]
    const storage: KeyStorage = new Proxy(good, {
      get: (target, verb: keyof KeyStorage) => {
        const method = target[verb] as (...args: unknown[]) => unknown
        return (...args: unknown[]) => {
          const answer = verb === 'due' ? answers.shift() : undefined
          return answer === undefined ? method.apply(target, args) : answer()
        }
      },
    })
    const { world, keys, errors, start, wait } = await worldWith(DAY_MS, { storage })
    const { key } = await keys.createKey(keyInput({ workspaceId: 'ws_2' }))
    const query = { workspaceId: 'ws_2', ids: [key.id], eventIds: [] }
    const view = await good.read({ ...query, countAtMs: null, countUpTo: null })
    answers.push(async () => view.keys)
    world.nowMs += DAY_MS
    start()
    expect(await wait(1)).toEqual(['expired'])
    expect(errors).toHaveLength(4)
  })

  test('stop ends a pause at once, and nothing is written afterwards', async () => {
    const { world, start, wait } = await worldWith(DAY_MS, { pollMs: 60_000 })
    const writer = start()
    await settled(5)
    await writer.stop()
    await writer.stop()
    world.nowMs += DAY_MS
    expect(await wait(0)).toEqual([])
  })

  test('stop waits for the round under way, which is the last', async () => {
    const { storage, asked } = recorded()
    const { world, start, wait } = await worldWith(DAY_MS, { storage })
    world.nowMs += DAY_MS
    await start().stop()
    expect(asked).toEqual(['due', 'write'])
    expect(await wait(1)).toEqual(['expired'])
    expect(asked).toHaveLength(2)
  })

  test('looks again at once only when something was stored', async () => {
    const pause = { pollMs: 60_000 }
    const none = recorded({ write: async () => [{ outcome: 'refused' }] })
    const { world, start } = await worldWith(DAY_MS, { storage: none.storage, ...pause })
    world.nowMs += DAY_MS
    const writer = start()
    await settled(10)
    await writer.stop()
    expect(none.asked).toEqual(['due', 'write'])
    const all = recorded()
    const other = await worldWith(DAY_MS, { storage: all.storage, ...pause })
    other.world.nowMs += DAY_MS
    other.start()
    await other.wait(1)
    expect(all.asked).toEqual(['due', 'write', 'due'])
  })

  test('works with its defaults: its clock is the system clock', async () => {
    const queries: unknown[] = []
    const { storage, asked } = recorded({
      due: async (query: unknown) => {
        queries.push(query)
        return []
      },
    })
    const beforeMs = Date.now()
    await writeNotices({ storage }).stop()
    expect(queries).toEqual([{ atMs: expect.any(Number), limit: 100 }])
    expect(Reflect.get(Object(queries[0]), 'atMs')).toBeGreaterThanOrEqual(beforeMs)
    expect(asked).toEqual(['due'])
  })

  test('reports a clock without a time, and calls no storage', async () => {
    const { storage, asked } = recorded()
    const { world, errors, start } = await worldWith(DAY_MS, { storage, pollMs: 60_000 })
    asked.splice(0)
    world.nowMs = Number.NaN
    start()
    await until(() => errors.length > 0)
    expect(errors).toEqual([new TypeError('writeNotices: option "now" must answer a valid Date.')])
    expect(asked).toEqual([])
  })

  test('gives a storage its time, and no more', async () => {
    const { storage } = recorded({ due: () => new Promise(() => {}) })
    const { errors, start } = await worldWith(DAY_MS, {
      ...{ storage, storageTimeoutMs: 20, pollMs: 60_000 },
    })
    start()
    await until(() => errors.length > 0)
    expect(errors).toEqual([new Error('no answer in 20 ms')])
  })

  test.each([
    ['options', undefined],
    ['due\\(', { storage: null }],
    ['due\\(', { storage: {} }],
    ['write\\(', { storage: { due: () => [] } }],
    ['"pollMs"', { pollMs: 0 }],
    ['^writeNotices: option "storage"', { storage: {} }],
    ['"storageTimeoutMs"', { storageTimeoutMs: 0 }],
    ['"now"', { now: 5 }],
    ['"onError"', { onError: 'x' }],
    ['"leaseMs"', { leaseMs: 5 }],
  ])('a bad option is a TypeError that names it: %s', (name, options) => {
    const given =
      options && 'storage' in options ? options : { storage: memoryStorage(), ...options }
    const call = () => writeNotices((options && given) as NoticeOptions)
    expect(call).toThrow(TypeError)
    expect(call).toThrow(new RegExp(name))
  })
})
