import { describe, expect, test } from 'vitest'
import { ApiKeyError, OutageError } from '../../../../src/index.ts'
import { keyInput, openWorld, refusal } from '../../../support/world.ts'

/*
 * The sentences that people read. `path` and `message` of an issue make one together; the message of
 * the error is all of them.
 */

const PLAIN = 'must be 1 to 255 characters without control characters.'

async function sentenceOf(input: unknown) {
  const { keys } = openWorld()
  return (await refusal(keys.createKey(input as never))).message
}

describe('what is said of an input', () => {
  const cases: readonly (readonly [unknown, string])[] = [
    [undefined, 'input: is required.'],
    [7, 'input: must be an object.'],
    [keyInput({ name: undefined }), 'name: is required.'],
    [keyInput({ name: ' ' }), 'name: is required.'],
    [keyInput({ name: 7 }), 'name: must be text, not a number.'],
    [keyInput({ workspaceId: 7 }), 'workspaceId: must be text, not a number.'],
    [keyInput({ name: [] }), 'name: must be text.'],
    [keyInput({ name: 'a'.repeat(121) }), 'name: must have at most 120 characters.'],
    [
      keyInput({ name: 'a\0' }),
      'name: must not contain control, text-direction or other invisible characters.',
    ],
    [keyInput({ workspaceId: '' }), `workspaceId: ${PLAIN}`],
    [keyInput({ creator: { id: '\n', name: 'x' } }), `creator.id: ${PLAIN}`],
    [keyInput({ creator: 'me' }), 'creator: must be an object.'],
    [keyInput({ environment: 'prod' }), 'environment: must be live or test.'],
    [keyInput({ environment: 7 }), 'environment: must be text.'],
    [keyInput({ scopes: 'contacts.read' }), 'scopes: must be a list.'],
    [keyInput({ scopes: [] }), 'scopes: must name at least one.'],
    [keyInput({ scopes: ['no'] }), 'scopes.0: is not a scope of the catalogue.'],
    [keyInput({ scopes: [7] }), 'scopes.0: must be text.'],
    [keyInput({ scopes: ['flows.read', 'flows.read'] }), 'scopes: must not repeat a scope.'],
    [keyInput({ id: 'key_1' }), 'id: is not a known field.'],
    [keyInput({ 'a b': 1 }), 'input: has an unknown field.'],
    [keyInput({ creator: { id: 'u', name: 'n', 'a b': 1 } }), 'creator: has an unknown field.'],
    [
      keyInput({ name: '', environment: 'prod' }),
      'name: is required. environment: must be live or test.',
    ],
  ]

  test.each(cases)('%j', async (input, sentence) => {
    expect(await sentenceOf(input)).toBe(`The input is not valid: ${sentence}`)
  })

  test('more scopes than there are', async () => {
    const { catalogue } = openWorld().keys
    const scopes = [...catalogue.scopes, ...catalogue.scopes]
    expect(await sentenceOf(keyInput({ scopes }))).toBe(
      'The input is not valid: scopes: must name at most 24 scopes. scopes: must not repeat a scope.',
    )
  })

  test.each([
    [0, 'must be at least 1.'],
    [201, 'must be at most 200.'],
    [1.5, 'must be a whole number.'],
    ['10', 'must be a number.'],
  ])('a limit of %j', async (limit, message) => {
    const { keys } = openWorld()
    for (const list of [keys.listKeys, keys.listEvents]) {
      const error = await refusal(list({ workspaceId: 'ws_1', limit: limit as number }))
      expect(error.issues).toMatchObject([{ path: ['limit'], message }])
    }
  })

  test('an identifier of 255 characters is fine', async () => {
    const workspaceId = '🔑'.repeat(255)
    expect((await openWorld().keys.listKeys({ workspaceId })).keys).toEqual([])
  })
})

describe('what an error says', () => {
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
  ] as const)('%s', (code, message) => {
    const error = new ApiKeyError(code)
    expect(error).toMatchObject({ name: 'ApiKeyError', code, message, issues: [] })
    expect([error.activeKeys, error.activeKeyLimit]).toEqual([undefined, undefined])
  })

  test('unknown_scope, with the scope', () => {
    const { message } = new ApiKeyError('unknown_scope', { scope: 'contacts.raed' })
    expect(message).toBe('The required scope is not in the scope catalogue: "contacts.raed".')
  })

  test('active_key_limit_reached, with both numbers', () => {
    const error = new ApiKeyError('active_key_limit_reached', { activeKeys: 5, activeKeyLimit: 3 })
    expect(error.message).toBe('The workspace has reached its active-key limit (5 of 3).')
    expect(error).toMatchObject({ activeKeys: 5, activeKeyLimit: 3 })
  })

  test('invalid_input without issues', () => {
    const error = new ApiKeyError('invalid_input')
    expect(error.issues).toEqual([])
    expect(error.message).toMatch(/^The input is not valid: *$/)
  })

  test('the issues are a copy that cannot be changed', () => {
    const issues = [{ path: ['name'], code: 'required', message: 'is required.' }] as const
    const error = new ApiKeyError('invalid_input', { issues })
    expect(error.issues).toEqual(issues)
    expect(error.issues).not.toBe(issues)
    expect(Object.isFrozen(error.issues)).toBe(true)
  })

  test('a fault names the verb and keeps its cause', () => {
    const cause = new Error('connection refused')
    const fault = new OutageError('insert', cause)
    expect(fault).toMatchObject({ name: 'OutageError', operation: 'insert', cause })
    expect(fault.message).toBe('The key storage failed in insert.')
  })

  test.each([
    ['entitlements', 'The entitlements function failed.'],
    ['limiter', 'The rate limiter failed.'],
    ['formats', 'A function of a format failed.'],
    ['now', 'The clock failed.'],
  ])('a fault of %s', (operation, message) => {
    expect(new OutageError(operation, null).message).toBe(message)
  })
})
