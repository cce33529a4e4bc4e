import { describe, expect, test } from 'vitest'
import { checkerOf } from '../../../src/http/index.ts'
import { defaultCatalogue, pickScopes, plans } from '../../../src/index.ts'
import { mintId } from '../../../src/secret/mint.ts'
import { findById } from '../../support/stored.ts'
import { action, keyInput, openWorld, refusal, START_MS } from '../../support/world.ts'

async function worldWithKey(fields = {}) {
  const world = openWorld()
  const issued = await world.keys.createKey(keyInput(fields))
  world.nowMs = START_MS + 60_000
  return { ...world, world, ...issued, old: issued.key }
}

const allowed = async (world: ReturnType<typeof openWorld>, secret: string) =>
  (await world.keys.authenticate(`Bearer ${secret}`, null)).ok

describe('rotateKey', () => {
  test('revokes the old key and issues one like it', async () => {
    const fields = { environment: 'test', scopes: ['flows.read', 'contacts.read'] }
    const { keys, world, old, secret } = await worldWithKey(fields)
    const rotated = await keys.rotateKey(action(old.id))
    const at = new Date(START_MS + 60_000)
    expect(rotated.replaced).toEqual({
      ...old,
      status: 'revoked',
      version: 2,
      updatedAt: at,
      revokedAt: at,
      replacedBy: rotated.key.id,
    })
    expect(rotated.key).toEqual({
      ...old,
      id: rotated.key.id,
      name: 'CRM sync (rotated)',
      prefix: rotated.secret.slice(0, 12),
      createdAt: at,
      updatedAt: at,
      replaces: old.id,
    })
    expect(rotated.secret).toMatch(/^svc_test_/)
    expect(Object.isFrozen(rotated)).toBe(true)
    expect(await allowed(world, secret)).toBe(false)
    expect(await allowed(world, rotated.secret)).toBe(true)
  })

  test('starts the count of uses anew', async () => {
    const { keys, old, secret } = await worldWithKey()
    await keys.authenticate(`Bearer ${secret}`, null)
    await keys.flush()
    const { key, replaced } = await keys.rotateKey(action(old.id))
    expect([key.uses, key.lastUsedAt]).toEqual([0, null])
    expect([replaced.uses, replaced.lastUsedAt]).toEqual([1, new Date(START_MS + 60_000)])
  })

  test('issues no key that has expired, whatever the clock was when the old one was created', async () => {
    const world = openWorld()
    world.nowMs = START_MS + 3_600_000
    const { key } = await world.keys.createKey(keyInput())
    world.nowMs = START_MS
    const change = { expiresAt: new Date(START_MS + 120_000) }
    await world.keys.updateKey({ ...action(key.id), version: 1, change })
    const rotated = await world.keys.rotateKey(action(key.id))
    expect(rotated.key).toMatchObject({ status: 'active', expiresAt: new Date(START_MS + 60_000) })
    expect(await allowed(world, rotated.secret)).toBe(true)
  })

  test('a key that is seen to be revoked is left alone', async () => {
    const { keys, world, old } = await worldWithKey()
    await keys.revokeKey(action(old.id))
    world.asked()
    expect((await refusal(keys.rotateKey(action(old.id)))).code).toBe('key_revoked')
    expect(world.asked()).toEqual(['read', 'entitlements', 'read'])
  })

  test('works at the limit and above it, and never changes the number of keys', async () => {
    const world = openWorld()
    world.plan = plans.enterprise
    const ids: string[] = []
    for (let made = 0; made < 7; made += 1)
      ids.push((await world.keys.createKey(keyInput())).key.id)
    for (const activeKeyLimit of [7, 5, 0]) {
      world.plan = { publicApi: true, activeKeyLimit }
      const { key } = await world.keys.rotateKey(action(ids.shift() ?? ''))
      ids.push(key.id)
      expect((await world.keys.listKeys({ workspaceId: 'ws_1' })).activeKeys).toBe(7)
    }
  })

  test('gives no scope that the catalogue has lost', async () => {
    const { stored, old } = await worldWithKey({ scopes: ['contacts.read', 'flows.read'] })
    const catalogue = pickScopes(defaultCatalogue, ['flows.read'])
    const later = openWorld({ storage: stored, catalogue: catalogue as never })
    const { key, replaced } = await later.keys.rotateKey(action(old.id))
    expect(key.scopes).toEqual(['flows.read'])
    expect(replaced.scopes).toEqual(['flows.read'])
    expect((await findById(stored, 'ws_1', key.id))?.scopes).toEqual(['flows.read'])
    expect((await findById(stored, 'ws_1', old.id))?.scopes).toEqual([
      'contacts.read',
      'flows.read',
    ])
    const { events } = await later.keys.listEvents({ workspaceId: 'ws_1' })
    expect(events.at(-1)?.data).toMatchObject({
      scopes: ['contacts.read', 'flows.read'],
      replacementScopes: ['flows.read'],
    })
  })

  test('a key that is left without any scope is not rotated', async () => {
    const { stored, old } = await worldWithKey()
    const catalogue = pickScopes(defaultCatalogue, ['flows.read'])
    const later = openWorld({ storage: stored, catalogue: catalogue as never })
    const error = await refusal(later.keys.rotateKey(action(old.id)))
    expect(error.code).toBe('invalid_input')
    expect(error.issues).toEqual([
      {
        path: ['id'],
        code: 'unknown_scope',
        message: 'none of the scopes of this key is in the catalogue any more.',
      },
    ])
    expect((await findById(stored, 'ws_1', old.id))?.revokedAtMs).toBeNull()
  })
})

describe('revokeKey', () => {
  test('stops the key at once and for good', async () => {
    const { keys, world, old, secret } = await worldWithKey()
    const at = new Date(START_MS + 60_000)
    expect(await keys.revokeKey(action(old.id))).toEqual({
      ...old,
      status: 'revoked',
      version: 2,
      updatedAt: at,
      revokedAt: at,
    })
    expect(await allowed(world, secret)).toBe(false)
  })

  test.each(['leaked', 'unused', 'reported', 'exposed', 'other'] as const)(
    'the event says why: %s',
    async (reason) => {
      const { keys, old } = await worldWithKey()
      await keys.revokeKey({ ...action(old.id), reason })
      const { events } = await keys.listEvents({ workspaceId: 'ws_1' })
      expect(events.at(-1)).toMatchObject({ type: 'api_key.revoked', data: { reason } })
    },
  )

  test.each([
    ['stolen', 'invalid_value'],
    [7, 'invalid_type'],
    [null, 'invalid_type'],
    [{}, 'invalid_type'],
  ])(
    'a reason that does not exist is refused, and nothing is written: %j',
    async (reason, code) => {
      const { keys, old } = await worldWithKey()
      const input = { ...action(old.id), reason } as Parameters<typeof keys.revokeKey>[0]
      expect((await refusal(keys.revokeKey(input))).issues).toEqual([
        expect.objectContaining({ path: ['reason'], code }),
      ])
      expect(() => checkerOf(keys).revocation({ reason })).toThrow(
        /^The input is not valid: reason: /,
      )
      expect((await keys.listEvents({ workspaceId: 'ws_1' })).events).toHaveLength(1)
    },
  )

  test('again: the same key, the same moment, no second event', async () => {
    const { keys, world, old } = await worldWithKey()
    const first = await keys.revokeKey(action(old.id))
    world.nowMs += 5_000
    world.events.splice(0)
    expect(await keys.revokeKey({ ...action(old.id), actor: { id: 'u_9', name: 'x' } })).toEqual(
      first,
    )
    expect(world.events).toEqual([])
    expect((await keys.listEvents({ workspaceId: 'ws_1' })).events).toHaveLength(2)
  })

  test('a key that was rotated is revoked already, and its successor lives', async () => {
    const { keys, world, old } = await worldWithKey()
    const { key, secret, replaced } = await keys.rotateKey(action(old.id))
    expect(await keys.revokeKey(action(old.id))).toEqual(replaced)
    expect(await allowed(world, secret)).toBe(true)
    expect((await keys.listKeys({ workspaceId: 'ws_1' })).keys[0]).toEqual(key)
  })
})

describe('ids that are not of this workspace', () => {
  test.each(['rotateKey', 'revokeKey'] as const)('%s: all are alike', async (operation) => {
    const { keys, world, stored } = await worldWithKey()
    const foreign = await keys.createKey(keyInput({ workspaceId: 'ws_2' }))
    const before = JSON.stringify(await findById(stored, 'ws_2', foreign.key.id))
    world.asked()
    const messages = new Set<string>()
    const malformed = [
      '',
      'x',
      'key_',
      `key_${'a'.repeat(22)}`,
      `x${mintId('key')}`,
      "key_' OR 1=1 --aaaaaaaa",
      '../../etc/passwd',
      '\0',
    ]
    for (const id of [foreign.key.id, mintId('key'), ...malformed]) {
      const error = await refusal(keys[operation](action(id)))
      expect(error.code).toBe('key_not_found')
      messages.add(error.message)
    }
    expect(messages.size).toBe(1)
    expect(world.asked().filter((verb) => verb === 'read').length).toBeGreaterThanOrEqual(2)
    expect(JSON.stringify(await findById(stored, 'ws_2', foreign.key.id))).toBe(before)
    expect((await keys.authenticate(`Bearer ${foreign.secret}`, null)).ok).toBe(true)
  })
})
