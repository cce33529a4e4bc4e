import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { ManagementError, type ManagementErrorCode } from '../../../adapters/client/index.ts'
import { codeOf, withPatience } from '../../../adapters/ui/calls/client.ts'
import {
  failureOf,
  failureText,
  lateFailure,
  lostAnswer,
} from '../../../adapters/ui/calls/failure.ts'
import { createLocale } from '../../../adapters/ui/format/locale.ts'
import '../../support/settings-tab/strings.ts'
import { recognizeAcrossCopies } from '../../../src/model/across-copies.ts'

const failed = (code: ManagementErrorCode, details = {}) => new ManagementError(code, details)
const lost = (kind: string, why: string) => ({
  leads: [{ id: why }],
  id: `e.unknown.${kind}`,
  refresh: true,
  unknown: true,
})
const generic = { id: 'e.generic', refresh: true }

describe('the sentence for a failure', () => {
  test.each([
    ['active_key_limit_reached', { id: 'e.limit' }],
    ['plan_required', { id: 'e.capability' }],
    ['forbidden', { id: 'e.forbidden' }],
    ['rate_limited', { id: 'e.rate', values: { n: 10 }, until: expect.any(Number) }],
    ['network', { id: 'e.network' }],
    ['outcome_unknown', lost('create', 'why.dropped')],
    ['storage_unavailable', { leads: [{ id: 'none.create' }], id: 'why.outage' }],
    ['key_revoked', { id: 'e.gone', values: { name: 'CRM' } }],
    ['key_not_found', { leads: [{ id: 'none.create' }], id: 'why.missing' }],
    ['not_found', { leads: [{ id: 'none.create' }], id: 'why.address' }],
    ['workspace_changed', { leads: [{ id: 'none.create' }], id: 'why.workspace' }],
    ['unexpected', generic],
  ] as const)('%s', (code, failure) => {
    expect(failureOf(failed(code), 'create', { name: 'CRM' })).toEqual(failure)
  })

  test("knows the errors of a page's own client, which are another copy's", () => {
    const Copy = class extends Error {
      readonly code = 'forbidden'
    }
    recognizeAcrossCopies(Copy, 'ManagementError')
    expect(failureOf(new Copy(), 'create')).toEqual({ id: 'e.forbidden' })
  })

  test('names the time that the server asks for', () => {
    const error = failed('rate_limited', { retryAfterSeconds: 42 })
    vi.useFakeTimers({ toFake: ['Date'], now: 5_000 })
    const failure = failureOf(error, 'revoke')
    vi.useRealTimers()
    expect(failure).toMatchObject({ id: 'e.rate', values: { n: 42 }, until: 47_000 })
  })

  test.each([
    ['create', 'create'],
    ['rotate', 'rotate'],
    ['revoke', 'revoke'],
    ['update', 'change'],
    ['pause', 'change'],
    ['resume', 'change'],
  ] as const)('a %s whose answer never came may have happened', (action, kind) => {
    const dropped = lost(kind, 'why.dropped')
    expect(lostAnswer(action)).toEqual(dropped)
    expect(failureOf(failed('outcome_unknown'), action)).toEqual(dropped)
    expect(failureOf(new TypeError('x'), action)).toEqual(dropped)
    const fault = lost(kind, 'why.fault')
    expect(failureOf(failed('outcome_unknown', { status: 502 }), action)).toEqual(fault)
    expect(failureOf(failed('internal_error', { status: 500 }), action)).toEqual(fault)
  })
})

test('the code of an error is one of the client, or none', () => {
  expect(codeOf(failed('key_revoked'))).toBe('key_revoked')
  for (const other of [{ code: 'key_revoked' }, new TypeError('x'), null, undefined]) {
    expect(codeOf(other)).toBeNull()
  }
})

test('a failure whose question is closed says first what it is about', () => {
  const locale = createLocale({ lang: 'en', dir: 'ltr', timeZone: 'UTC', strings: {} })
  const failure = lateFailure(
    { action: 'revoke', name: 'CRM' },
    failureOf(failed('not_found'), 'revoke'),
  )
  const text = failureText(locale, failure).replace(/[\u2066-\u2069]/g, '')
  expect(text).toBe(
    'About revoking “CRM”: No key was revoked. The key service was not found at this address. ' +
      'Try again in a moment; if this continues, contact support.',
  )
  expect(failureText(locale, { id: 'e.forbidden' })).toBe('You are not allowed to do this.')
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
