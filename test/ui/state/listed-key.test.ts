import { expect, test } from 'vitest'
import { asOf } from '../../../adapters/ui/list/listed-key.ts'
import { keyOf } from '../../support/settings-tab/keys.ts'

const expiresAt = '2026-11-21T14:00:00Z'
const end = Date.parse(expiresAt)

test.each(['active', 'paused', 'retiring'] as const)(
  'a key that is %s expires on time',
  (status) => {
    const key = keyOf({ id: 'k1', status, expiresAt })
    expect(asOf(key, end - 1)).toBe(key)
    expect(asOf(key, end)).toEqual({ ...key, status: 'expired' })
  },
)

test('a key that is being replaced is revoked when its overlap ends', () => {
  const key = keyOf({ id: 'k1', status: 'retiring', retiresAt: expiresAt, replacedBy: 'k2' })
  expect(asOf(key, end - 1)).toBe(key)
  expect(asOf(key, end)).toEqual({ ...key, status: 'revoked', revokedAt: expiresAt })
})

test('a key without an end, with an odd one or at its end already stays as it is', () => {
  for (const fields of [{}, { expiresAt: 'soon' }, { expiresAt, status: 'revoked' }] as const) {
    const key = keyOf({ id: 'k1', ...fields })
    expect(asOf(key, end + 1)).toBe(key)
  }
})
