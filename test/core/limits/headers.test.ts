import { parseList } from 'structured-headers'
import { expect, test } from 'vitest'
import { limitHeaders } from '../../../src/limits/headers.ts'

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
  expect(parseList(headers['ratelimit-policy'] ?? '')).toEqual([
    [
      'per minute',
      new Map([
        ['q', 600],
        ['w', 60],
      ]),
    ],
    ['total', new Map([['q', 999_999_999_999_999]])],
  ])
  expect(parseList(headers['ratelimit'] ?? '')).toEqual([
    [
      'per minute',
      new Map([
        ['r', 12],
        ['t', 3],
      ]),
    ],
    ['total', new Map([['r', 0]])],
  ])
})
