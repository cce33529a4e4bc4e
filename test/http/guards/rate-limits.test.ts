import { RateLimiterMemory } from 'rate-limiter-flexible'
import { parseList } from 'structured-headers'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { flexibleLimiter } from '../../../adapters/rate-limit/index.ts'
import { guardHosts } from '../../support/http/guard-hosts.ts'
import { issueKey, testKeys } from '../../support/http/keys.ts'
import { headerOf } from '../../support/http/raw-client.ts'
import { get } from '../../support/http/requests.ts'

// rate-limiter-flexible counts by the wall clock, which stands still.
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }))
afterEach(() => void vi.useRealTimers())

describe.each(guardHosts)('a limiter behind requireKey in $name', ({ start }) => {
  async function hostWith(options: Parameters<typeof testKeys>[0]) {
    const backend = testKeys(options)
    const host = await start(backend.keys)
    const { secret } = await issueKey(backend)
    const call = (path = '/contacts') => get(host.port, path, [`Authorization: Bearer ${secret}`])
    return { backend, host, call }
  }

  test('accepted calls tell what remains; one too many gets 429 and the time to return', async () => {
    const store = new RateLimiterMemory({ points: 2, duration: 3_600 })
    const limiter = flexibleLimiter(store, { name: 'hourly' })
    const { host, call } = await hostWith({ limiter })
    const accepted = [await call(), await call()]
    const refused = await call()
    await host.close()

    expect(accepted.map(({ status }) => status)).toEqual([200, 200])
    const remaining = accepted.map((response) => headerOf(response, 'ratelimit'))
    expect(remaining).toEqual([['"hourly";r=1;t=3600'], ['"hourly";r=0;t=3600']])

    expect(refused.status).toBe(429)
    expect(JSON.parse(refused.body)).toMatchObject({
      type: 'urn:miftah:problem:rate-limited',
      title: 'Too Many Requests',
      code: 'rate_limited',
    })
    expect(headerOf(refused, 'content-type')).toEqual(['application/problem+json'])
    expect(headerOf(refused, 'cache-control')).toEqual(['no-store'])
    expect(headerOf(refused, 'www-authenticate')).toEqual([])
    expect(headerOf(refused, 'vary')).toEqual(['Authorization'])
    expect(headerOf(refused, 'retry-after')).toEqual(['3600'])
    const [policy = ''] = headerOf(refused, 'ratelimit-policy')
    expect(parseList(policy)).toEqual([
      [
        'hourly',
        new Map([
          ['q', 2],
          ['w', 3_600],
        ]),
      ],
    ])
  })

  test('Retry-After is never earlier than the reset beside it', async () => {
    const policies = [{ name: 'p', limit: 50, remaining: 0, resetSeconds: 5 }]
    const own = { take: () => ({ allowed: false, retryAfterMs: 100, policies }) as const }
    const { host, call } = await hostWith({ limiter: own })
    const refused = await call()
    await host.close()
    expect(headerOf(refused, 'retry-after')).toEqual(['5'])
    expect(headerOf(refused, 'ratelimit')).toEqual(['"p";r=0;t=5'])
  })
})
