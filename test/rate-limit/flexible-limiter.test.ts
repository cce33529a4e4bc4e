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
import { polluted } from '../support/http/polluted.ts'
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

describe('flexibleLimiter', () => {
  test('on RateLimiterMemory', () => expectLimit(new RateLimiterMemory(WINDOW)))

  test('chooses a limiter by the plan', async () => {
    const small = new RateLimiterMemory({ ...WINDOW, points: 1, keyPrefix: 'small' })
    const large = new RateLimiterMemory({ ...WINDOW, points: 9, keyPrefix: 'large' })
    const limiter = flexibleLimiter(({ rateLimit }) =>
      rateLimit !== null && rateLimit.limit > 5 ? large : small,
    )
    const rateLimit = { limit: 9, windowSeconds: 60 }
    const [policy] = (await limiter.take(request({ rateLimit }))).policies ?? []
    expect(policy).toMatchObject({ name: 'default', limit: 9, remaining: 8 })
    expect((await limiter.take(request())).allowed).toBe(true)
    expect((await limiter.take(request())).allowed).toBe(false)
  })

  test('gives each key its own limit', async () => {
    const store = new RateLimiterMemory({ ...WINDOW, points: 1 })
    const limiter = flexibleLimiter(store, { partition: 'key' })
    const other = { ...request().key, id: 'key_2' }
    expect((await limiter.take(request())).allowed).toBe(true)
    expect((await limiter.take(request({ key: other }))).allowed).toBe(true)
    expect((await limiter.take(request())).allowed).toBe(false)
  })

  test('a window without an end has neither a length nor a time of return', async () => {
    const limiter = flexibleLimiter(new RateLimiterMemory({ points: 1, duration: 0 }))
    const { policies } = await limiter.take(request())
    expect(policies).toEqual([{ name: 'default', limit: 1, remaining: 0 }])
    expect(await limiter.take(request())).toEqual({
      allowed: false,
      retryAfterMs: Infinity,
      policies: [{ name: 'default', limit: 1, remaining: 0 }],
    })
  })

  test('in a window without an end a refused call is given back too', async () => {
    const limiter = flexibleLimiter(new RateLimiterMemory({ points: 3, duration: 0 }))
    expect((await limiter.take(request({ cost: 2 }))).allowed).toBe(true)
    expect((await limiter.take(request({ cost: 2 }))).allowed).toBe(false)
    expect((await limiter.take(request())).allowed).toBe(true)
  })

  test('at the end of a window nothing is given back: the next one must not begin with a credit', async () => {
    const store = new RateLimiterMemory({ points: 3, duration: 1 })
    const limiter = flexibleLimiter(store)
    expect((await limiter.take(request({ cost: 3 }))).allowed).toBe(true)
    expect((await limiter.take(request({ cost: 3 }))).allowed).toBe(false)
    expect(await store.get('ws_1')).toMatchObject({ consumedPoints: 6 })
  })

  test('a store that blocks keeps counting what it refuses', async () => {
    const block = new RateLimiterMemory({ ...WINDOW, blockDuration: 600 })
    const limiter = flexibleLimiter(block)
    expect((await limiter.take(request({ cost: 2 }))).allowed).toBe(true)
    expect((await limiter.take(request({ cost: 2 }))).allowed).toBe(false)
    expect(await limiter.take(request())).toMatchObject({ allowed: false })
    expect(await block.get('ws_1')).toMatchObject({ consumedPoints: 5 })
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
    const failing = flexibleLimiter(refuses(4, { reward: fails }))
    expect(await failing.take(request())).toMatchObject({ allowed: false })
    const without = flexibleLimiter(refuses(4, { reward: undefined }))
    expect(await without.take(request())).toMatchObject({ allowed: false })
  })

  test('a window without an end refuses behind createApiKeys too', async () => {
    const limiter = flexibleLimiter(new RateLimiterMemory({ points: 1, duration: 0 }))
    const backend = testKeys({ limiter })
    const { secret } = await issueKey(backend)
    const authenticate = () => backend.keys.authenticate(`Bearer ${secret}`, null)
    expect(await authenticate()).toMatchObject({ ok: true })
    expect(await authenticate()).toMatchObject({ ok: false, reason: 'rate_limited' })
  })

  test('passes on what the store fails with', async () => {
    const broken = { ...WINDOW, consume: () => Promise.reject(new Error('no connection')) }
    await expect(flexibleLimiter(broken).take(request())).rejects.toThrow('no connection')
    const odd = { ...WINDOW, consume: () => Promise.reject('odd') }
    await expect(flexibleLimiter(odd).take(request())).rejects.toBe('odd')
    const late = { ...WINDOW, consume: () => Promise.reject(new RateLimiterRes(0, 5, 4, false)) }
    expect(await flexibleLimiter(late).take(request())).toMatchObject({ retryAfterMs: 5 })
  })

  test.each([
    ['points', { points: Number.MAX_SAFE_INTEGER }],
    ['points', { points: 0 }],
    ['points', { points: undefined }],
    ['duration', { duration: 1_000_000_001 }],
    ['duration', { duration: -1 }],
    ['duration', { duration: undefined }],
  ])('a store with bad %s is a TypeError', async (name, fields) => {
    const consume = async () => ({ remainingPoints: 1, msBeforeNext: 1 })
    const store = { ...WINDOW, consume, ...fields } as FlexibleStore
    const message = `flexibleLimiter: the limiter must have ${name === 'points' ? '' : 'a '}"${name}"`
    expect(() => flexibleLimiter(store)).toThrow(TypeError)
    expect(() => flexibleLimiter(store)).toThrow(message)
    await expect(flexibleLimiter(() => store).take(request())).rejects.toThrow(message)
  })

  test.each([
    ['partition', 'planet'],
    ['name', ''],
  ])('an inherited %s is no option', async (name, value) => {
    const store = new RateLimiterMemory(WINDOW)
    const options = Object.create({ [name]: value })
    for (const limiter of [
      flexibleLimiter(store, options),
      await polluted({ [name]: value }, async () => flexibleLimiter(store)),
    ]) {
      const { policies } = await limiter.take(request())
      expect(policies).toMatchObject([{ name: 'default' }])
    }
  })

  test('a bad option is a TypeError', () => {
    for (const odd of [{}, null] as unknown as FlexibleStore[]) {
      expect(() => flexibleLimiter(odd)).toThrow(
        new TypeError('flexibleLimiter: the limiter must have a method consume.'),
      )
    }
    const options = { partition: 'planet' as 'key' }
    expect(() => flexibleLimiter(new RateLimiterMemory(WINDOW), options)).toThrow(
      'flexibleLimiter: option "partition"',
    )
    for (const name of ['', 'افتراضي', 'a\\b', null as unknown as string]) {
      expect(() => flexibleLimiter(new RateLimiterMemory(WINDOW), { name })).toThrow(
        new TypeError(
          'flexibleLimiter: option "name" must be 1 to 64 visible ASCII characters without " and \\.',
        ),
      )
    }
  })
})

describe('flexibleLimiter on a real PostgreSQL', () => {
  const db = databaseForFile()

  test('counts in its table', async () => {
    const { pool } = db
    const store = await new Promise<RateLimiterPostgres>((resolve, reject) => {
      const made = new RateLimiterPostgres(
        { ...WINDOW, storeClient: pool, tableName: 'limits' },
        (error?: Error) => (error === undefined ? resolve(made) : reject(error)),
      )
    })
    await expectLimit(store)
    const { rows } = await pool.query('SELECT key FROM limits ORDER BY key')
    expect(rows.map(({ key }) => key)).toEqual(['rlflx:ws_1', 'rlflx:ws_2', 'rlflx:ws_3'])
  })
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
