import { describe, expect, test } from 'vitest'
import { checkCost } from '../../../src/authenticate/access-check.ts'
import { checkLimiterAnswer } from '../../../src/limits/limit-check.ts'
import { checkRateLimit } from '../../../src/plans/entitlements.ts'

const MAX_INTEGER = 999_999_999_999_999
const MAX_WINDOW_S = 1_000_000_000
const POLICY = { name: 'default', limit: 5, remaining: 4 }

describe('the answer of a limiter', () => {
  test('may leave out times and policies', () => {
    expect(checkLimiterAnswer({ allowed: true })).toEqual({ allowed: true, policies: [] })
    const answer = { allowed: false, retryAfterMs: 0, policies: [POLICY] } as const
    const [policy] = checkLimiterAnswer(answer).policies ?? []
    expect(Object.keys(policy ?? {})).toEqual(['name', 'limit', 'remaining'])
  })

  test('may refuse for ever', () => {
    const answer = { allowed: false, retryAfterMs: Infinity, policies: [] } as const
    expect(checkLimiterAnswer(answer)).toEqual(answer)
  })

  test.each([0, MAX_INTEGER])('may count %i', (limit) => {
    const answer = checkLimiterAnswer({ allowed: true, policies: [{ ...POLICY, limit }] })
    expect(answer.policies).toEqual([{ ...POLICY, limit }])
  })

  test('may have 10 policies', () => {
    const policies = Array.from({ length: 10 }, () => POLICY)
    expect(checkLimiterAnswer({ allowed: true, policies }).policies).toHaveLength(10)
  })

  const verdict =
    'The limiter must answer { allowed: true } or { allowed: false, retryAfterMs: number }.'
  const many = 'The limiter must answer at most 10 policies.'
  const invalid = 'The limiter answered an invalid policy.'
  test.each<[unknown, string]>([
    [undefined, verdict],
    [{ allowed: 'yes', retryAfterMs: 1 }, verdict],
    [{ allowed: false }, verdict],
    [{ allowed: false, retryAfterMs: -1 }, verdict],
    [{ allowed: false, retryAfterMs: Number.NaN }, verdict],
    [{ allowed: false, retryAfterMs: -Infinity }, verdict],
    [{ allowed: true, policies: Array.from({ length: 11 }, () => POLICY) }, many],
    [{ allowed: true, policies: 'none' }, many],
    [{ allowed: true, policies: [null] }, invalid],
    [{ allowed: true, policies: [{ ...POLICY, name: '' }] }, invalid],
    [{ allowed: true, policies: [{ ...POLICY, name: 'a"b' }] }, invalid],
    [{ allowed: true, policies: [{ ...POLICY, name: 7 }] }, invalid],
    [{ allowed: true, policies: [{ ...POLICY, limit: -1 }] }, invalid],
    [{ allowed: true, policies: [{ ...POLICY, limit: MAX_INTEGER + 1 }] }, invalid],
    [{ allowed: true, policies: [{ ...POLICY, remaining: '4' }] }, invalid],
    [{ allowed: true, policies: [{ ...POLICY, windowSeconds: null }] }, invalid],
    [{ allowed: true, policies: [{ ...POLICY, resetSeconds: -1 }] }, invalid],
  ])('may not be %j', (answer, message) => {
    expect(() => checkLimiterAnswer(answer)).toThrow(new TypeError(message))
  })
})

describe('the rate limit of a plan', () => {
  test.each([
    { limit: 1, windowSeconds: 1, burst: 1 },
    { limit: MAX_INTEGER, windowSeconds: MAX_WINDOW_S, burst: MAX_INTEGER },
    { limit: 1, windowSeconds: 1, burst: MAX_WINDOW_S },
  ])('may be %j', (rateLimit) => {
    expect(checkRateLimit(rateLimit)).toEqual(rateLimit)
  })

  test('has a burst of its limit by default', () => {
    expect(checkRateLimit({ limit: 5, windowSeconds: 1 })).toMatchObject({ burst: 5 })
  })

  test.each([
    null,
    { limit: 0, windowSeconds: 1 },
    { limit: Number.MAX_SAFE_INTEGER, windowSeconds: 1 },
    { limit: 1, windowSeconds: 1, burst: MAX_INTEGER + 1 },
    { limit: 1, windowSeconds: MAX_WINDOW_S + 1 },
    { limit: 1, windowSeconds: 2, burst: MAX_WINDOW_S },
  ])('may not be %j', (rateLimit) => {
    expect(() => checkRateLimit(rateLimit)).toThrow(
      new TypeError(
        'entitlements: rateLimit must have a limit and a burst of 1 to 999999999999999, windowSeconds of 1 to 1000000000, and a burst that is back in 1000000000 seconds.',
      ),
    )
  })
})

test.each([1, 1_000_000])('a request may cost %i', (cost) => expect(checkCost(cost)).toBe(cost))

test.each([0, 1_000_001])('a request may not cost %i', (cost) => {
  expect(() => checkCost(cost)).toThrow(
    new TypeError('The cost of a request must be a whole number from 1 to 1,000,000.'),
  )
})
