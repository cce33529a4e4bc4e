import { randomUUID } from 'node:crypto'
import {
  RateLimiterMemory,
  RateLimiterPostgres,
  RateLimiterRedis,
  RateLimiterRes,
} from 'rate-limiter-flexible'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type FlexibleStore, flexibleLimiter } from '../../adapters/rate-limit/index.ts'
import type { LimiterRequest } from '../../src/index.ts'
import { issueKey, testKeys } from '../support/http/keys.ts'
import { databaseForFile } from '../support/postgres/own-database.ts'
import { hasRedis, openRedis } from '../support/redis.ts'

function request(fields: Partial<LimiterRequest> = {}): LimiterRequest {
  const key = { id: 'key_1', workspaceId: 'ws_1' } as LimiterRequest['key']
  return { key, requirement: null, cost: 1, rateLimit: null, ...fields }
}

/** What every store of the library must do behind the adapter. */
async function expectLimit(store: FlexibleStore): Promise<void> {
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

  test('what costs more than a window holds is refused for ever', async () => {
    const limiter = flexibleLimiter(new RateLimiterMemory(WINDOW))
    expect(await limiter.take(request({ cost: 3 }))).toMatchObject({ allowed: true })
    expect(await limiter.take(request({ cost: 4 }))).toMatchObject({ retryAfterMs: Infinity })
  })

  test('a window without an end refuses behind createApiKeys too', async () => {
    const limiter = flexibleLimiter(new RateLimiterMemory({ points: 1, duration: 0 }))
    const backend = testKeys({ limiter })
    const { secret } = await issueKey(backend)
    const authenticate = () => backend.keys.authenticate(`Bearer ${secret}`, null)
    expect(await authenticate()).toMatchObject({ ok: true })
    expect(await authenticate()).toMatchObject({ ok: false, reason: 'rate_limited' })
  })

  test('hands on what the store fails with', async () => {
    const broken = { ...WINDOW, consume: () => Promise.reject(new Error('no connection')) }
    await expect(flexibleLimiter(broken).take(request())).rejects.toThrow('no connection')
    const odd = { ...WINDOW, consume: () => Promise.reject('odd') }
    await expect(flexibleLimiter(odd).take(request())).rejects.toBe('odd')
    const late = { ...WINDOW, consume: () => Promise.reject(new RateLimiterRes(0, 5, 4, false)) }
    expect(await flexibleLimiter(late).take(request())).toMatchObject({ retryAfterMs: 5 })
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
    expect(rows).toEqual([{ key: 'rlflx:ws_1' }, { key: 'rlflx:ws_2' }])
  })
})

describe.skipIf(!(await hasRedis('flexibleLimiter on Redis')))(
  'flexibleLimiter on a real Redis',
  () => {
    const keyPrefix = `miftah-test-${randomUUID()}`
    const redis = openRedis()
    beforeAll(() => redis.connect())
    afterAll(async () => {
      await redis.del(`${keyPrefix}:ws_1`, `${keyPrefix}:ws_2`)
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
  },
)
