import { parseList } from 'structured-headers'
import { expect, test } from 'vitest'
import { limitHeaders, retryAfterSeconds } from '../../../src/http/guard-answers.ts'

test('no policies, no headers', () => {
  expect(limitHeaders(undefined)).toEqual({})
  expect(limitHeaders([])).toEqual({})
})

test('every policy is a String with Integer parameters', () => {
  const headers = limitHeaders([
    { name: 'per minute', limit: 600, windowSeconds: 60, remaining: 12, resetSeconds: 3 },
    { name: 'total', limit: 999_999_999_999_999, remaining: 0 },
  ])
  expect(headers).toEqual({
    'ratelimit-policy': '"per minute";q=600;w=60, "total";q=999999999999999',
    ratelimit: '"per minute";r=12;t=3, "total";r=0',
  })
  const parsed = (text = '') =>
    parseList(text).map(([name, values]) => [name, Object.fromEntries(values)])
  expect(parsed(headers['ratelimit-policy'])).toEqual([
    ['per minute', { q: 600, w: 60 }],
    ['total', { q: 999_999_999_999_999 }],
  ])
  expect(parsed(headers['ratelimit'])).toEqual([
    ['per minute', { r: 12, t: 3 }],
    ['total', { r: 0 }],
  ])
})

const minute = { name: 'minute', limit: 60, remaining: 0, resetSeconds: 30 }
const day = { name: 'day', limit: 9_000, remaining: 5_000, resetSeconds: 60_000 }

test.each([
  ['without policies, what the limiter says, rounded up', 1_001, [], 2],
  ['at least a second', 0, [], 1],
  ['never before the reset of the policy that refused', 1_000, [minute], 30],
  ['another policy does not count', 1_000, [day, minute], 30],
  ['both do where both are used up', 1_000, [{ ...day, remaining: 0 }, minute], 60_000],
  ['a call that costs more than what is left', 1_000, [{ ...minute, remaining: 2 }, day], 30],
  ['a later instant of the limiter stays', 90_000, [minute], 90],
  ['a policy without a reset changes nothing', 1_000, [{ ...minute, resetSeconds: 0 }], 1],
  ['nor one whose reset is not known', 1_000, [{ name: 'a', limit: 1, remaining: 0 }], 1],
])('Retry-After: %s', (_, retryAfterMs, policies, seconds) => {
  expect(retryAfterSeconds(retryAfterMs, policies)).toBe(seconds)
})
