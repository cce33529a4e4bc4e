import { describe, expect, test } from 'vitest'
import { ApiKeyError, OutageError } from '../../../src/index.ts'

test.each([
  ['plan_required', 'The plan of the workspace does not include the public API.'],
  ['key_revoked', 'The key is revoked.'],
  ['key_expired', 'The key has expired.'],
  ['key_rotated', 'The key has been replaced.'],
  ['overlap_limit_reached', 'The workspace has too many keys that are being replaced.'],
  ['stale', 'The key has changed since the given version.'],
  ['usage_not_kept', 'Usage history is turned off.'],
  ['workspace_erased', 'The workspace has been erased.'],
  ['key_not_found', 'There is no such key in this workspace.'],
  ['unknown_scope', 'The required scope is not in the scope catalogue.'],
  ['closed', 'close() was called; no further calls are accepted.'],
  ['invalid_input', 'The input is not valid: '],
] as const)('%s says what it is', (code, message) => {
  const error = new ApiKeyError(code)
  expect(error).toMatchObject({ name: 'ApiKeyError', code, message, issues: [] })
  expect([error.activeKeys, error.activeKeyLimit]).toEqual([undefined, undefined])
})

describe('an error', () => {
  test('names the scope that is required', () => {
    const { message } = new ApiKeyError('unknown_scope', { scope: 'contacts.raed' })
    expect(message).toBe('The required scope is not in the scope catalogue: "contacts.raed".')
  })

  test('has both numbers of a limit', () => {
    const error = new ApiKeyError('active_key_limit_reached', { activeKeys: 5, activeKeyLimit: 3 })
    expect(error.message).toBe('The workspace has reached its active-key limit (5 of 3).')
    expect(error).toMatchObject({ activeKeys: 5, activeKeyLimit: 3 })
  })

  test('has a copy of its issues that cannot be changed', () => {
    const issues = [{ path: ['name'], code: 'required', message: 'is required.' }] as const
    const error = new ApiKeyError('invalid_input', { issues })
    expect(error.issues).toEqual(issues)
    expect(error.issues).not.toBe(issues)
    expect(Object.isFrozen(error.issues)).toBe(true)
  })
})

test.each([
  ['insert', 'The key storage failed in insert.'],
  ['entitlements', 'The entitlements function failed.'],
  ['limiter', 'The rate limiter failed.'],
  ['formats', 'A function of a format failed.'],
  ['now', 'The clock failed.'],
])('an outage of %s says so, and keeps its cause', (operation, message) => {
  const cause = new Error('connection refused')
  expect(new OutageError(operation, cause)).toMatchObject({
    ...{ name: 'OutageError', operation, cause, message },
  })
})
