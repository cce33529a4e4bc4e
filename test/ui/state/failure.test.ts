import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { ManagementError, type ManagementErrorCode } from '../../../adapters/client/index.ts'
import { failureOf, isGone, isSignedOut, lostAnswer } from '../../../adapters/ui/state/failure.ts'
import { withPatience } from '../../../adapters/ui/state/outcome.ts'

const failed = (code: ManagementErrorCode, details = {}) => new ManagementError(code, details)
const generic = { id: 'e.generic', refresh: true }

describe('the sentence for a failure', () => {
  test.each([
    ['active_key_limit_reached', { id: 'e.limit' }],
    ['plan_required', { id: 'e.capability' }],
    ['forbidden', { id: 'e.forbidden' }],
    ['rate_limited', { id: 'e.rate', values: { n: 10 } }],
    ['network', { id: 'e.network' }],
    ['unknown_outcome', { id: 'e.unknown.create', refresh: true }],
    ['key_not_found', generic],
    ['unexpected', generic],
  ] as const)('%s', (code, failure) => {
    expect(failureOf(failed(code), 'create')).toEqual(failure)
  })

  test('names the time that the server asks for', () => {
    const error = failed('rate_limited', { retryAfterSeconds: 42 })
    expect(failureOf(error, 'revoke')).toEqual({ id: 'e.rate', values: { n: 42 } })
  })

  test.each([
    ['create', { id: 'e.unknown.create', refresh: true }],
    ['rotate', { id: 'e.unknown.rotate', refresh: true }],
    ['revoke', generic],
  ] as const)('a %s whose answer never came may have happened', (action, failure) => {
    expect(lostAnswer(action)).toEqual(failure)
    expect(failureOf(failed('unknown_outcome'), action)).toEqual(failure)
    expect(failureOf(failed('unexpected', { status: 500 }), action)).toEqual(failure)
    expect(failureOf(new TypeError('x'), action)).toEqual(failure)
    expect(failureOf(failed('unexpected', { status: 499 }), action)).toEqual(generic)
  })
})

test('a key is gone when it is not found or revoked, and for no other reason', () => {
  expect(isGone(failed('key_not_found'))).toBe(true)
  expect(isGone(failed('key_revoked'))).toBe(true)
  for (const other of [failed('not_found'), { code: 'key_revoked' }, null]) {
    expect(isGone(other)).toBe(false)
  }
})

test('a sign-in is asked for by one code alone', () => {
  expect(isSignedOut(failed('unauthenticated'))).toBe(true)
  for (const other of [failed('forbidden'), { code: 'unauthenticated' }, null]) {
    expect(isSignedOut(other)).toBe(false)
  }
})

describe('patience with a change', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  test('ends after 30 seconds, and the answer still counts', async () => {
    const late = vi.fn()
    let answer: (value: number) => void = () => {}
    const change = withPatience(new Promise<number>((resolve) => (answer = resolve)), late)
    vi.advanceTimersByTime(29_999)
    expect(late).not.toHaveBeenCalled()
    vi.advanceTimersByTime(1)
    expect(late).toHaveBeenCalledOnce()
    answer(7)
    expect(await change).toBe(7)
  })

  test('is over with the change, whatever came of it', async () => {
    const late = vi.fn()
    expect(await withPatience(Promise.resolve(7), late)).toBe(7)
    await expect(withPatience(Promise.reject(new Error('no')), late)).rejects.toThrow('no')
    expect(vi.getTimerCount()).toBe(0)
  })
})
