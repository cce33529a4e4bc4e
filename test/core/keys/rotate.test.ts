import { describe, expect, test } from 'vitest'
import { defaultCatalogue, pickScopes, plans } from '../../../src/index.ts'
import {
  DAY_MS,
  DAY_S,
  eventsOf,
  later,
  MINUTE_MS,
  saidOf,
  verdict,
  worldWithKey,
} from '../../support/lifecycle/world.ts'
import { findById } from '../../support/stored.ts'
import { action, keyInput, openWorld, refusal, START_MS, type World } from '../../support/world.ts'

async function manyKeys({ keys }: World, count: number): Promise<string[]> {
  const ids: string[] = []
  for (let made = 0; made < count; made += 1) ids.push((await keys.createKey(keyInput())).key.id)
  return ids
}

describe('a rotation', () => {
  test('revokes the old key and issues one like it', async () => {
    const own = { note: 'for finance', metadata: { team: 'sales' }, environment: 'test' }
    const { world, keys, key: old, one, secret } = await worldWithKey(own)
    world.nowMs = START_MS + MINUTE_MS
    const rotated = await keys.rotateKey(one)
    const at = later(MINUTE_MS)
    const replacedBy = rotated.key.id
    expect(rotated.replaced).toEqual({
      ...{ ...old, status: 'revoked', version: 2, updatedAt: at, revokedAt: at, replacedBy },
    })
    expect(rotated.key).toEqual({
      ...{ ...old, id: replacedBy, name: 'CRM sync (rotated)', replaces: old.id },
      ...{ prefix: rotated.secret.slice(0, 12), createdAt: at, updatedAt: at },
    })
    expect(rotated.secret).toMatch(/^svc_test_/)
    expect(Object.isFrozen(rotated)).toBe(true)
    expect([await verdict(world, secret), await verdict(world, rotated.secret)]).toEqual([
      ...['revoked', 'ok'],
    ])
  })

  test('starts the count of uses anew', async () => {
    const { world, keys, one, secret } = await worldWithKey()
    await verdict(world, secret)
    await keys.flush()
    const { key, replaced } = await keys.rotateKey(one)
    expect([key.uses, key.lastUsedAt]).toEqual([0, null])
    expect([replaced.uses, replaced.lastUsedAt]).toEqual([1, later(0)])
  })

  test('with an overlap leaves the old key as it is until then', async () => {
    const { world, keys, key: old, one, secret, now } = await worldWithKey()
    const { key, secret: other, replaced } = await keys.rotateKey({ ...one, overlapSeconds: DAY_S })
    const retiresAt = later(DAY_MS)
    expect(replaced).toEqual({
      ...{ ...old, status: 'retiring', version: 2, retiresAt, replacedBy: key.id },
    })
    expect([await verdict(world, secret), await verdict(world, other)]).toEqual(['ok', 'ok'])
    world.nowMs = START_MS + DAY_MS
    expect(await now()).toMatchObject({ status: 'revoked', revokedAt: retiresAt })
    expect(world.events.at(-1)).toMatchObject({ data: { overlapEndsAt: retiresAt.toISOString() } })
  })

  test('gives a key that lives as long as the old one was made to, unless it is told', async () => {
    const { world, keys, one } = await worldWithKey({ expiresAt: later(10 * DAY_MS) })
    world.nowMs = START_MS + 4 * DAY_MS
    const { key: second } = await keys.rotateKey(one)
    expect(second.expiresAt).toEqual(later(14 * DAY_MS))
    const { key: third } = await keys.rotateKey({ ...action(second.id), expiresAt: null })
    expect(third.expiresAt).toBeNull()
    expect((await keys.rotateKey(action(third.id))).key.expiresAt).toBeNull()
  })

  test('gives no key that has expired, whatever the clock was when the old one was made', async () => {
    const world = openWorld()
    world.nowMs = START_MS + 3_600_000
    const { key } = await world.keys.createKey(keyInput())
    world.nowMs = START_MS
    const change = { expiresAt: later(2 * MINUTE_MS) }
    await world.keys.updateKey({ ...action(key.id), version: 1, change })
    const rotated = await world.keys.rotateKey(action(key.id))
    expect(rotated.key).toMatchObject({ status: 'active', expiresAt: later(MINUTE_MS) })
  })

  test('of a paused key gives an active one, and has no overlap', async () => {
    const { world, keys, one } = await worldWithKey()
    await keys.pauseKey(one)
    expect(await saidOf(keys.rotateKey({ ...one, overlapSeconds: 1 }))).toEqual([
      'overlapSeconds invalid_value: must be 0 for a paused key.',
    ])
    const { key, secret } = await keys.rotateKey(one)
    expect(key).toMatchObject({ status: 'active', pausedAt: null, pausedBy: null })
    expect(await verdict(world, secret)).toBe('ok')
  })

  test.each([
    [plans.business, 604_800],
    [{ ...plans.business, maxOverlapSeconds: 0 }, 0],
  ])('on the plan %j has an overlap of at most %i seconds', async (plan, most) => {
    const { world, keys, one } = await worldWithKey()
    world.plan = plan
    expect(await saidOf(keys.rotateKey({ ...one, overlapSeconds: most + 1 }))).toEqual([
      `overlapSeconds out_of_range: must be at most ${most}.`,
    ])
    expect(await eventsOf(world)).toEqual(['created'])
    await keys.rotateKey({ ...one, overlapSeconds: most })
  })

  test('works at the limit and above it, and never changes the number of keys', async () => {
    const world = openWorld()
    world.plan = plans.enterprise
    const ids = await manyKeys(world, 7)
    for (const activeKeyLimit of [7, 5, 0]) {
      world.plan = { publicApi: true, activeKeyLimit }
      await world.keys.rotateKey(action(ids.shift() ?? ''))
      expect((await world.keys.listKeys({ workspaceId: 'ws_1' })).activeKeys).toBe(7)
    }
  })

  test('has an overlap for as many keys as the plan allows, and always none', async () => {
    const world = openWorld()
    const { keys } = world
    world.plan = plans.enterprise
    const ids = await manyKeys(world, 10)
    world.plan = plans.business
    const rotate = (id: string, overlapSeconds: number) =>
      keys.rotateKey({ ...action(id), overlapSeconds })
    const outcomes = await Promise.allSettled(ids.map((id) => rotate(id, DAY_S)))
    const refused = outcomes.filter(({ status }) => status === 'rejected')
    expect(refused).toMatchObject(Array(5).fill({ reason: { code: 'overlap_limit_reached' } }))
    const { keys: listed } = await keys.listKeys({ workspaceId: 'ws_1', status: 'active' })
    const [first = '', ...left] = listed.map(({ id }) => id).filter((id) => ids.includes(id))
    expect(await refusal(rotate(first, DAY_S))).toMatchObject({
      ...{ code: 'overlap_limit_reached', retiringKeys: 5 },
    })
    for (const id of left) expect((await rotate(id, 0)).replaced.status).toBe('revoked')
    world.nowMs = START_MS + DAY_MS
    expect((await rotate(first, DAY_S)).replaced.status).toBe('retiring')
  })
})

describe('a scope that the catalogue has lost', () => {
  const without = (world: World) => {
    const catalogue = pickScopes(defaultCatalogue, ['flows.read'])
    return openWorld({ storage: world.stored, catalogue: catalogue as never })
  }

  test('stays with the old key, and is not given to the new one', async () => {
    const scopes = ['contacts.read', 'flows.read']
    const { world, key: old, one } = await worldWithKey({ scopes })
    const { keys, events } = without(world)
    const { key, replaced } = await keys.rotateKey(one)
    expect([key.scopes, replaced.scopes]).toEqual([['flows.read'], ['flows.read']])
    expect((await findById(world.stored, 'ws_1', key.id))?.scopes).toEqual(['flows.read'])
    expect((await findById(world.stored, 'ws_1', old.id))?.scopes).toEqual(scopes)
    expect(events).toMatchObject([{ data: { scopes, replacementScopes: ['flows.read'] } }])
  })

  test('and was the only one keeps the key from being rotated', async () => {
    const { world, one, now } = await worldWithKey()
    expect(await saidOf(without(world).keys.rotateKey(one))).toEqual([
      'id unknown_scope: none of the scopes of this key is in the catalogue any more.',
    ])
    expect((await now()).status).toBe('active')
  })
})
