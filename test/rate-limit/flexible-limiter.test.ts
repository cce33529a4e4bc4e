import { randomUUID } from 'node:crypto'
import {
  RateLimiterMemory,
  RateLimiterPostgres,
  RateLimiterRedis,
  RateLimiterRes,
} from 'rate-limiter-flexible'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type FlexibleStore, flexibleLimiter } from '../../adapters/rate-limit/index.ts'
import type { LimiterRequest } from '../../src/model/limiter.ts'
import { issueKey, testKeys } from '../support/http/keys.ts'
import { databaseForFile } from '../support/postgres/own-database.ts'
import { hasRedis, openRedis } from '../support/redis.ts'

function request(fields: Partial<LimiterRequest> = {}): LimiterRequest {
  const key = { id: 'key_1', workspaceId: 'ws_1' } as LimiterRequest['key']
  return { key, requirement: null, cost: 1, rateLimit: null, ...fields }
}

interface CountingStore extends FlexibleStore {
  get(key: string): Promise<RateLimiterRes | null>
}

/** What every store of the library must do behind the adapter. */
async function expectLimit(store: CountingStore): Promise<void> {
  const limiter = flexibleLimiter(store, { name: 'minutely' })
  const shown = { name: 'minutely', limit: 3, windowSeconds: 60 }
  expect(await limiter.take(request({ cost: 2 }))).toMatchObject({
    allowed: true,
    policies: [{ ...shown, remaining: 1 }],
  })
  expect((await limiter.take(request())).allowed).toBe(true)
  const refused = await limiter.take(request())
  expect(refused).toMatchObject({ allowed: false, policies: [{ ...shown, remaining: 0 }] })
  const { retryAfterMs } = refused as { retryAfterMs: number }
  expect(retryAfterMs).toBeGreaterThan(50_000)
  expect(retryAfterMs).toBeLessThanOrEqual(60_000)
  expect(refused.policies?.[0]?.resetSeconds).toBe(retryAfterMs / 1_000)
  const other = { ...request().key, workspaceId: 'ws_2' }
  expect((await limiter.take(request({ key: other }))).allowed).toBe(true)
  await expectRefusalsAreFree(store)
}

/** Calls that are refused leave the count as it was, so that a cheaper one still fits. */
async function expectRefusalsAreFree(store: CountingStore): Promise<void> {
  const limiter = flexibleLimiter(store)
  const counted = async () => (await store.get('ws_3'))?.consumedPoints
  const key = { ...request().key, workspaceId: 'ws_3' }
  const take = (cost: number) => limiter.take(request({ key, cost }))
  // Never allowed, so nothing is counted.
  for (const cost of [4, 1_000_000]) {
    expect(await take(cost)).toEqual({ allowed: false, retryAfterMs: Infinity })
  }
  expect(await counted()).toBeUndefined()
  expect((await take(2)).allowed).toBe(true)
  for (let call = 0; call < 5; call += 1) {
    expect(await take(2)).toMatchObject({ allowed: false, policies: [{ remaining: 1 }] })
    // On another connection it may be given back a moment later.
    await expect.poll(counted).toBe(2)
  }
  expect((await take(1)).allowed).toBe(true)
  expect((await take(1)).allowed).toBe(false)
}

const WINDOW = { points: 3, duration: 60 }
const memory = (own: object = {}) => new RateLimiterMemory({ ...WINDOW, ...own })

/** Whether calls of these costs are allowed, one after another. */
async function allowed(limiter: ReturnType<typeof flexibleLimiter>, ...costs: number[]) {
  const answers: boolean[] = []
  for (const cost of costs) answers.push((await limiter.take(request({ cost }))).allowed)
  return answers
}

test('in memory', () => expectLimit(memory()))

test('a limiter is chosen by the plan', async () => {
  const small = memory({ points: 1, keyPrefix: 'small' })
  const large = memory({ points: 9, keyPrefix: 'large' })
  const limiter = flexibleLimiter(({ rateLimit }) =>
    rateLimit !== null && rateLimit.limit > 5 ? large : small,
  )
  const rateLimit = { limit: 9, windowSeconds: 60 }
  const [policy] = (await limiter.take(request({ rateLimit }))).policies ?? []
  expect(policy).toMatchObject({ name: 'default', limit: 9, remaining: 8 })
  expect(await allowed(limiter, 1, 1)).toEqual([true, false])
})

test('each key may have its own limit', async () => {
  const limiter = flexibleLimiter(memory({ points: 1 }), { partition: 'key' })
  expect(await allowed(limiter, 1, 1)).toEqual([true, false])
  const other = { ...request().key, id: 'key_2' }
  expect((await limiter.take(request({ key: other }))).allowed).toBe(true)
})

test('a window without an end has neither a length nor a time of return, and gives back', async () => {
  const limiter = flexibleLimiter(memory({ duration: 0 }))
  expect(await allowed(limiter, 2, 2)).toEqual([true, false])
  const policy = { name: 'default', limit: 3, remaining: 0 }
  expect((await limiter.take(request())).policies).toEqual([policy])
  const refused = { allowed: false, retryAfterMs: Infinity, policies: [policy] }
  expect(await limiter.take(request())).toEqual(refused)
  const backend = testKeys({ limiter: flexibleLimiter(memory({ points: 1, duration: 0 })) })
  const { secret } = await issueKey(backend)
  const authenticate = () => backend.keys.authenticate(`Bearer ${secret}`, null)
  expect(await authenticate()).toMatchObject({ ok: true })
  expect(await authenticate()).toMatchObject({ ok: false, reason: 'rate_limited' })
})

test.each([
  ['at the end of a window: the next one would begin with a credit', { duration: 1 }, [3, 3], 6],
  ['by a store that blocks', { blockDuration: 600 }, [2, 2, 1], 5],
])('nothing is given back %s', async (_, own, costs, counted) => {
  const store = memory(own)
  expect(await allowed(flexibleLimiter(store), ...costs)).toEqual(costs.map((_, at) => at === 0))
  expect(await store.get('ws_1')).toMatchObject({ consumedPoints: counted })
})

test('what was not counted is not given back', async () => {
  const rewards: unknown[] = []
  const reward = async (...call: unknown[]) => void rewards.push(call)
  const refuses = (consumedPoints: number, fields: object = {}): FlexibleStore => {
    const result = new RateLimiterRes(0, 5_000, consumedPoints, false)
    return { ...WINDOW, consume: () => Promise.reject(result), reward, ...fields }
  }
  // A key that is blocked in the memory of the process is refused without counting.
  await flexibleLimiter(refuses(0)).take(request())
  await flexibleLimiter(refuses(4, { inMemoryBlockOnConsumed: 9 })).take(request())
  expect(rewards).toEqual([])
  await flexibleLimiter(refuses(4)).take(request())
  expect(rewards).toEqual([['ws_1', 1]])
  const fails = () => Promise.reject(new Error('no connection'))
  for (const own of [{ reward: fails }, { reward: undefined }]) {
    expect(await allowed(flexibleLimiter(refuses(4, own)), 1)).toEqual([false])
  }
})

test('what the store fails with is passed on', async () => {
  const failing = (thrown: unknown) =>
    flexibleLimiter({ ...WINDOW, consume: () => Promise.reject(thrown) }).take(request())
  await expect(failing(new Error('no connection'))).rejects.toThrow('no connection')
  await expect(failing('odd')).rejects.toBe('odd')
  const late = new RateLimiterRes(0, 5, 4, false)
  expect(await failing(late)).toMatchObject({ retryAfterMs: 5 })
})

test.each([
  ['"points"', { points: Number.MAX_SAFE_INTEGER }],
  ['"points"', { points: 0 }],
  ['"points"', { points: undefined }],
  ['a "duration"', { duration: 1_000_000_001 }],
  ['a "duration"', { duration: -1 }],
  ['a "duration"', { duration: undefined }],
  ['a method consume.', { consume: undefined }],
])('a store without good %s is a TypeError: %o', async (what, fields) => {
  const consume = async () => ({ remainingPoints: 1, msBeforeNext: 1 })
  const store = { ...WINDOW, consume, ...fields } as FlexibleStore
  const message = `flexibleLimiter: the limiter must have ${what}`
  expect(() => flexibleLimiter(store)).toThrow(TypeError)
  expect(() => flexibleLimiter(store)).toThrow(message)
  await expect(flexibleLimiter(() => store).take(request())).rejects.toThrow(message)
})

test.each<[object, string]>([
  [{ partition: 'planet' }, 'partition" must be "workspace" or "key".'],
  ...['', 'افتراضي', 'a\\b', null].map((name): [object, string] => {
    return [{ name }, 'name" must be 1 to 64 visible ASCII characters without " and \\.']
  }),
])('a bad option is a TypeError: %o', (options, message) => {
  const make = () => flexibleLimiter(memory(), options)
  expect(make).toThrow(new TypeError(`flexibleLimiter: option "${message}`))
  const none = null as unknown as FlexibleStore
  expect(() => flexibleLimiter(none)).toThrow('the limiter must have a method consume.')
})

const db = databaseForFile()

test('on a real PostgreSQL it counts in its table', async () => {
  const store = await new Promise<RateLimiterPostgres>((resolve, reject) => {
    const made = new RateLimiterPostgres(
      { ...WINDOW, storeClient: db.pool, tableName: 'limits' },
      (error?: Error) => (error === undefined ? resolve(made) : reject(error)),
    )
  })
  await expectLimit(store)
  const { rows } = await db.pool.query('SELECT key FROM limits ORDER BY key')
  expect(rows.map(({ key }) => key)).toEqual(['rlflx:ws_1', 'rlflx:ws_2', 'rlflx:ws_3'])
})

describe.skipIf(!hasRedis)('flexibleLimiter on a real Redis', () => {
  const keyPrefix = `miftah-test-${randomUUID()}`
  const redis = openRedis()
  beforeAll(() => redis.connect())
  afterAll(async () => {
    await redis.del(['ws_1', 'ws_2', 'ws_3'].map((id) => `${keyPrefix}:${id}`))
    redis.disconnect()
  })

  test('counts in its keys', async () => {
    await expectLimit(new RateLimiterRedis({ ...WINDOW, keyPrefix, storeClient: redis }))
    expect(await redis.exists(`${keyPrefix}:ws_1`)).toBe(1)
  })

  test('a server that is away is a fault of the limiter', async () => {
    const away = openRedis('redis://127.0.0.1:1')
    const limiter = flexibleLimiter(new RateLimiterRedis({ ...WINDOW, storeClient: away }))
    await expect(limiter.take(request())).rejects.toBeInstanceOf(Error)
    away.disconnect()
  })
})
