import { describe, expect, test } from 'vitest'
import { sha256Hex } from '#sha256'
import { plans } from '../../../src/index.ts'
import {
  codeOf,
  DAY_MS,
  DAY_S,
  later,
  MINUTE_MS,
  saidOf,
  verdict,
  worldWithKey,
} from '../../support/lifecycle/world.ts'
import { findById } from '../../support/stored.ts'
import { action, CREATOR, keyInput, openWorld, refusal, START_MS } from '../../support/world.ts'

describe('a new key', () => {
  test('is answered with its secret, and the hash is stored', async () => {
    const scopes = ['flows.read', 'contacts.read']
    const { world, key, secret } = await worldWithKey({ environment: 'test', scopes })
    expect(secret).toMatch(/^svc_test_[0-9A-Za-z]{46}$/)
    expect(key).toEqual({
      id: expect.stringMatching(/^key_[A-Za-z0-9_-]{21}$/),
      ...{ workspaceId: 'ws_1', name: 'CRM sync', environment: 'test' },
      ...{ scopes: scopes.toReversed(), prefix: secret.slice(0, 12), creator: CREATOR },
      ...{ createdAt: later(0), updatedAt: later(0), lastUsedAt: null, uses: 0 },
      ...{ status: 'active', version: 1, expiresAt: null, pausedAt: null, pausedBy: null },
      ...{ retiresAt: null, revokedAt: null, replaces: null, replacedBy: null, format: null },
      ...{ note: null, resources: {}, networks: 'any', withinGrant: true, metadata: {} },
    })
    const record = await findById(world.stored, 'ws_1', key.id)
    expect(record?.hash).toBe(sha256Hex(secret))
    expect(JSON.stringify(record)).not.toContain(secret.slice(12))
  })

  test('stays as it is, whatever the caller changes afterwards', async () => {
    const given = { scopes: ['contacts.read'], creator: { ...CREATOR }, expiresAt: later(DAY_MS) }
    const { key, now } = await worldWithKey(given)
    given.scopes.push('flows.read')
    Object.assign(given.creator, { name: 'changed' })
    given.expiresAt.setTime(START_MS + 900 * DAY_MS)
    expect(await now()).toEqual(key)
  })
})

describe('the active-key limit', () => {
  const worldWith = async (made: number, activeKeyLimit: number | null) => {
    const world = openWorld()
    world.plan = plans.enterprise
    const create = (fields = {}) => world.keys.createKey(keyInput(fields))
    const ids: string[] = []
    for (let at = 0; at < made; at += 1) ids.push((await create()).key.id)
    world.plan = { publicApi: true, activeKeyLimit }
    return { world, keys: world.keys, ids, create }
  }

  test.each([
    // The limit, how many keys there are, and how many must be revoked before one can be made.
    [1, 0, 0],
    [1, 1, 1],
    [0, 0, Infinity],
    // After a downgrade.
    [5, 7, 3],
    [null, 30, 0],
  ])('of %s with %i keys: room after %i revocations', async (activeKeyLimit, made, revoked) => {
    const { keys, ids, create } = await worldWith(made, activeKeyLimit)
    for (let at = 0; at < Math.min(revoked, made + 1); at += 1) {
      const error = await refusal(create())
      const counts = { activeKeys: made - at, activeKeyLimit }
      expect(error).toMatchObject({ code: 'active_key_limit_reached', ...counts })
      const id = ids[at]
      if (id !== undefined) await keys.revokeKey(action(id))
    }
    if (revoked < Infinity) expect((await create()).key.status).toBe('active')
  })

  test('counts paused keys and no retiring or expired ones, in each workspace', async () => {
    const { world, keys, ids, create } = await worldWith(3, 3)
    const [paused = '', retiring = ''] = ids
    await keys.pauseKey(action(paused))
    await keys.rotateKey({ ...action(retiring), overlapSeconds: DAY_S })
    expect((await refusal(create())).activeKeys).toBe(3)
    await create({ workspaceId: 'ws_2' })
    await keys.revokeKey(action(paused))
    await create({ expiresAt: later(MINUTE_MS) })
    expect((await refusal(create())).activeKeys).toBe(3)
    world.nowMs = START_MS + MINUTE_MS
    expect((await create()).key.status).toBe('active')
  })
})

describe('the longest lifetime of a plan', () => {
  const plan = { ...plans.business, maxLifetimeSeconds: 30 * DAY_S }
  const LATE = 'expiresAt out_of_range: must not be later than the plan allows.'
  const NEVER = 'expiresAt required: is required by the plan.'
  const late = later(30 * DAY_MS + 1)

  test('is what a new key gets, and at most', async () => {
    const world = openWorld()
    world.plan = plan
    const create = (fields = {}) => world.keys.createKey(keyInput(fields))
    expect((await create()).key.expiresAt).toEqual(later(30 * DAY_MS))
    expect(await saidOf(create({ expiresAt: null }))).toEqual([NEVER])
    expect(await saidOf(create({ expiresAt: late }))).toEqual([LATE])
    const list = await world.keys.listKeys({ workspaceId: 'ws_1' })
    expect([list.maxLifetimeSeconds, list.total]).toEqual([30 * DAY_S, 1])
  })

  test('is not escaped by two updates', async () => {
    const { world, update } = await worldWithKey({ expiresAt: later(10 * DAY_MS) })
    world.plan = plan
    world.nowMs = START_MS + 9 * DAY_MS
    await update({ expiresAt: later(20 * DAY_MS) })
    world.nowMs = START_MS + 19 * DAY_MS
    expect(await saidOf(update({ expiresAt: late }, 2))).toEqual([`change.${LATE}`])
    expect(await saidOf(update({ expiresAt: null }, 2))).toEqual([`change.${NEVER}`])
    const latest = later(30 * DAY_MS)
    expect((await update({ expiresAt: latest }, 2)).expiresAt).toEqual(latest)
  })

  test('is not escaped by a rotation', async () => {
    const { world, keys, one, now } = await worldWithKey()
    world.plan = plan
    expect(await saidOf(keys.rotateKey({ ...one, expiresAt: null }))).toEqual([NEVER])
    expect(await saidOf(keys.rotateKey({ ...one, expiresAt: late }))).toEqual([LATE])
    expect((await now()).status).toBe('active')
    expect((await keys.rotateKey(one)).key.expiresAt).toEqual(later(30 * DAY_MS))
  })

  test('touches no key that exists', async () => {
    const { world, keys, secret, update } = await worldWithKey({ expiresAt: later(90 * DAY_MS) })
    world.plan = { ...plan, maxLifetimeSeconds: 60 }
    keys.dropEntitlements()
    world.nowMs = START_MS + DAY_MS
    expect(await verdict(world, secret)).toBe('ok')
    const earlier = later(80 * DAY_MS)
    expect((await update({ expiresAt: earlier })).expiresAt).toEqual(earlier)
  })
})

test('a key in its last minute takes the expiry that it has, and none that is as soon', async () => {
  const expiresAt = later(10 * MINUTE_MS)
  const { world, update } = await worldWithKey({ expiresAt })
  world.nowMs = expiresAt.getTime() - MINUTE_MS / 2
  for (const soon of [later(0), later(10 * MINUTE_MS - 1), new Date(world.nowMs + MINUTE_MS - 1)]) {
    expect(await codeOf(update({ expiresAt: soon }))).toBe('invalid_input')
  }
  expect(await update({ expiresAt, name: 'ERP' })).toMatchObject({ name: 'ERP', expiresAt })
})
