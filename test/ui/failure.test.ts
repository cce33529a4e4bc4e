import { expect, test } from 'vitest'
import { ManagementError, type ManagementErrorCode } from '../../adapters/client/index.ts'
import { about, actions, failureOf, failureText } from '../../adapters/ui/calls/failure.ts'
import { createLocale } from '../../adapters/ui/format/locale.ts'
import { recognizeAcrossCopies } from '../../src/model/across-copies.ts'

const failed = (code: ManagementErrorCode, details = {}) => new ManagementError(code, details)
const create = { action: 'create', name: 'CRM' } as const
const nothing = (id: string) => ({ leads: [{ id: 'none' }], id })

test.each<[ManagementErrorCode, object, object?]>([
  ['active_key_limit_reached', { id: 'e.limit' }],
  ['plan_required', { id: 'e.capability' }],
  ['forbidden', { id: 'e.forbidden' }],
  ['rate_limited', { id: 'e.rate', seconds: 10 }],
  ['rate_limited', { id: 'e.rate', seconds: 42 }, { retryAfterSeconds: 42 }],
  ['network', { id: 'e.network' }],
  ['storage_unavailable', nothing('why.outage')],
  ['key_revoked', { id: 'e.gone', values: { name: 'CRM' } }],
  ['key_not_found', nothing('why.missing')],
  ['not_found', nothing('why.outage')],
  ['workspace_changed', nothing('why.workspace')],
  ['unexpected', { id: 'e.generic', refresh: true }],
])('the sentence for %s', (code, failure, details) => {
  expect(failureOf(failed(code, details), create)).toEqual(failure)
})

test("an error of a page's own client, which is another copy's, is known", () => {
  const Copy = class extends Error {
    readonly code = 'forbidden'
  }
  recognizeAcrossCopies(Copy, 'ManagementError')
  expect(failureOf(new Copy(), create)).toEqual({ id: 'e.forbidden' })
})

test.each(actions)('a %s whose answer never came may have happened', (action) => {
  const unknown = { id: 'e.unknown', refresh: true, unknown: true }
  const withSecret = { ...unknown, leads: [{ id: 'e.unknown' }], id: 'e.unknown.secret' }
  const lost = ['create', 'rotate'].includes(action) ? withSecret : unknown
  for (const error of [failed('outcome_unknown'), failed('internal_error'), new TypeError('x')]) {
    expect(failureOf(error, { action, name: 'CRM' })).toEqual(lost)
  }
})

test('a failure whose question is closed says first what it is about', () => {
  const locale = createLocale({ lang: 'en', dir: 'ltr', timeZone: 'UTC', strings: {} })
  const failure = about('CRM', failureOf(failed('not_found'), create))
  expect(failureText(locale, failure).replace(/[\u2066-\u2069]/g, '')).toBe(
    'About key “CRM”: Nothing was changed. The key service is unavailable. Try again in a moment.',
  )
})
