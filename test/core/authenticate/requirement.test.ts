import { describe, expect, test } from 'vitest'
import { createGuard } from '../../../src/http/index.ts'
import type { ApiKeyEvent, DefaultScope, Requirement } from '../../../src/index.ts'
import { ApiKeyError, defaultCatalogue } from '../../../src/index.ts'
import { issueKey, testKeys } from '../../support/http/keys.ts'
import { keyInput } from '../../support/world.ts'

const READ = 'contacts.read'
const WRITE = 'contacts.write'
const SEND = 'messages.send'

async function backendWithKey() {
  const events: ApiKeyEvent[] = []
  const backend = testKeys({ onEvent: (event: ApiKeyEvent) => void events.push(event) })
  const { key, secret } = await issueKey(backend)
  events.length = 0
  return { keys: backend.keys, key, secret, header: `Bearer ${secret}`, events }
}

describe('a key with one scope', () => {
  test.each<[Requirement<DefaultScope>, boolean]>([
    [{ anyOf: [WRITE, READ] }, true],
    [{ anyOf: [WRITE, SEND] }, false],
    [{ allOf: [READ, WRITE] }, false],
    [{ allOf: [WRITE, SEND] }, false],
    [READ, true],
    [null, true],
  ])('and a route that needs %j: %j', async (requirement, expected) => {
    const { keys, key, secret, header, events } = await backendWithKey()
    const results = [
      await keys.authenticate(header, requirement),
      await keys.authenticateSecret(secret, requirement),
      keys.authorize(key, requirement),
    ]
    const denial = { ok: false, reason: 'insufficient_scope', keyId: key.id, requirement }
    for (const result of results) {
      if (expected) expect(result).toMatchObject({ ok: true, key: { id: key.id } })
      else expect(result).toEqual(denial)
    }
    const { reason } = denial
    const told = expected ? [] : Array(3).fill({ reason, requirement, keyId: key.id })
    expect(events).toMatchObject(told)
  })
})

test('a key needs every scope of allOf, and 16 may be named', async () => {
  const others = defaultCatalogue.scopes.filter((scope) => scope !== READ && scope !== WRITE)
  const scopes = [READ, WRITE, ...others.slice(0, 14)] as const
  const backend = testKeys()
  const { secret } = await backend.keys.createKey({ ...keyInput(), scopes })
  expect((await backend.keys.authenticateSecret(secret, { allOf: scopes })).ok).toBe(true)
})

const SHAPE = new TypeError('A requirement must be a scope, { anyOf }, { allOf } or null.')
const count = (name: string) =>
  new TypeError(
    `${name} of a requirement must list 2 to 16 different scopes; a single one is required by its name alone.`,
  )
const unknown = (scope: string) => new ApiKeyError('unknown_scope', { scope })

test.each([
  [undefined, SHAPE],
  [7, SHAPE],
  [[], SHAPE],
  [{}, SHAPE],
  [{ anyOf: [READ, WRITE], allOf: [READ, WRITE] }, SHAPE],
  [{ anyOf: [READ, WRITE], oneOf: [] }, SHAPE],
  [{ anyOf: READ }, count('anyOf')],
  [{ anyOf: [] }, count('anyOf')],
  [{ allOf: [READ] }, count('allOf')],
  [{ allOf: [READ, READ] }, count('allOf')],
  [{ anyOf: [READ] }, count('anyOf')],
  [{ allOf: defaultCatalogue.scopes.slice(0, 17) }, count('allOf')],
  ['contacts', unknown('contacts')],
  [{ anyOf: [READ, 'contacts'] }, unknown('contacts')],
  [{ allOf: [READ, null] }, new ApiKeyError('unknown_scope')],
])('a requirement may not be %j', async (bad, error) => {
  const { keys, key, secret, header, events } = await backendWithKey()
  const requirement = bad as Requirement<DefaultScope>
  await expect(keys.authenticate(header, requirement)).rejects.toEqual(error)
  await expect(keys.authenticateSecret(secret, requirement)).rejects.toEqual(error)
  expect(() => keys.authorize(key, requirement)).toThrow(error)
  expect(() => createGuard(keys, requirement)).toThrow(error)
  expect(events).toEqual([])
})

test('an unknown scope is named, and what may be a secret in its place is not', async () => {
  const { keys, header, secret } = await backendWithKey()
  const messageFor = (scope: string) =>
    keys.authenticate(null, scope as DefaultScope).catch((error: Error) => error.message)
  const unnamed = 'The required scope is not in the scope catalogue.'
  expect(await messageFor('contacts.raed')).toBe(unnamed.replace('.', ': "contacts.raed".'))
  expect(await messageFor('a'.repeat(40))).toContain('"aaaa')
  for (const other of [secret, header, 'a'.repeat(41), 'a\nb', 'قراءة', '']) {
    expect(await messageFor(other)).toBe(unnamed)
  }
})

test('a requirement that changes later does not change a guard', async () => {
  const { keys, header } = await backendWithKey()
  const anyOf: [DefaultScope, DefaultScope, ...DefaultScope[]] = [WRITE, SEND]
  const guard = createGuard(keys, { anyOf })
  anyOf.push(READ)
  const verdict = await guard.check('GET', (name) => (name === 'authorization' ? [header] : []))
  expect(verdict.ok).toBe(false)
})

test('authenticateSecret counts a use', async () => {
  const { keys, key, secret } = await backendWithKey()
  expect(await keys.authenticateSecret(secret, null, { cost: 2 })).toMatchObject({ ok: true })
  await keys.flush()
  expect((await keys.getKey({ workspaceId: 'ws_1', id: key.id })).uses).toBe(1)
})
