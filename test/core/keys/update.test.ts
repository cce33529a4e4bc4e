import { describe, expect, test } from 'vitest'
import { plans } from '../../../src/index.ts'
import {
  codeOf,
  DAY_MS,
  later,
  MINUTE_MS,
  saidOf,
  verdict,
  worldWithKey,
} from '../../support/lifecycle/world.ts'
import { ACTOR, keyInput, openWorld, START_MS, withoutIds } from '../../support/world.ts'

describe('an update', () => {
  test('changes what is given and nothing else, and its event has both states', async () => {
    const { world, key, update, now } = await worldWithKey({ metadata: { team: 'sales' } })
    world.nowMs = START_MS + MINUTE_MS
    const scopes = ['contacts.read', 'flows.read']
    const updated = await update({ name: ' ERP ', scopes: scopes.toReversed() })
    const updatedAt = later(MINUTE_MS)
    expect(updated).toEqual({ ...key, name: 'ERP', scopes, version: 2, updatedAt })
    expect(await now()).toEqual(updated)
    expect(world.events.at(-1)).toMatchObject({
      ...{ type: 'api_key.updated', actor: ACTOR, keyId: key.id },
      data: {
        ...{ name: 'ERP', environment: 'live', prefix: key.prefix, scopes },
        before: { name: 'CRM sync', scopes: ['contacts.read'] },
        after: { name: 'ERP', scopes },
      },
    })
  })

  test('is decided and dated after the plan was looked up', async () => {
    let lookUp = () => {}
    const entitlements = () => {
      lookUp()
      return plans.business
    }
    const expiresAt = later(10 * MINUTE_MS)
    const { world, keys, one, update } = await worldWithKey({ expiresAt }, { entitlements })
    lookUp = () => {
      world.nowMs += 20_000
    }
    expect((await update({ expiresAt: later(DAY_MS) })).updatedAt).toEqual(later(20_000))
    await keys.pauseKey(one)
    expect((await keys.resumeKey(one)).updatedAt).toEqual(later(40_000))
    world.nowMs = START_MS + DAY_MS - 20_000
    expect(await codeOf(update({ expiresAt: null }, 4))).toBe('key_expired')
  })
})

test('a pause has its time and its actor, and resuming leaves none of it', async () => {
  const { world, keys, key, one, secret } = await worldWithKey()
  world.nowMs = START_MS + MINUTE_MS
  const at = { updatedAt: later(MINUTE_MS) }
  const pause = { status: 'paused', pausedAt: later(MINUTE_MS), pausedBy: ACTOR }
  expect(await keys.pauseKey(one)).toEqual({ ...key, ...at, ...pause, version: 2 })
  expect(await verdict(world, secret)).toBe('paused')
  expect(await keys.resumeKey(one)).toEqual({ ...key, ...at, version: 3 })
  expect(await verdict(world, secret)).toBe('ok')
  expect(world.events.map(({ type }) => type)).toEqual(
    expect.arrayContaining(['api_key.paused', 'api_key.resumed']),
  )
})

test('a note is trimmed, brought to NFC, changed and removed', async () => {
  const { key, update } = await worldWithKey({ note: ' Cafe\u0301 ' })
  expect(key.note).toBe('Café')
  expect((await update({ note: 'for the CRM' })).note).toBe('for the CRM')
  expect((await update({ note: '  ' }, 2)).note).toBeNull()
  for (const note of [null, '', undefined]) {
    expect((await openWorld().keys.createKey(keyInput({ note }))).key.note).toBeNull()
  }
})

describe('metadata', () => {
  const entries = (count: number, value: string | null, name = 'n') =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`${name}${at}`, value]))

  test('comes back frozen and without a prototype', async () => {
    const { keys, secret } = await worldWithKey({ metadata: { team: 'مبيعات' } })
    const auth = await keys.authenticate(`Bearer ${secret}`, null)
    if (!auth.ok) return expect.fail(auth.reason)
    expect({ ...auth.key.metadata }).toEqual({ team: 'مبيعات' })
    expect(Object.isFrozen(auth.key.metadata)).toBe(true)
    expect(Object.getPrototypeOf(auth.key.metadata)).toBeNull()
  })

  test('is set and removed by name, and the event has the names alone', async () => {
    const metadata = { team: 'sales', region: 'eu', same: 'x' }
    const { world, update } = await worldWithKey({ metadata })
    const change = { team: 'support', region: null, tier: '1', same: 'x', none: null }
    expect((await update({ metadata: change })).metadata).toEqual({
      ...{ team: 'support', tier: '1', same: 'x' },
    })
    expect(world.events.at(-1)).toMatchObject({
      data: { before: { metadata: ['team', 'region'] }, after: { metadata: ['team', 'tier'] } },
    })
    expect(withoutIds(JSON.stringify(world.events))).not.toMatch(/sales|support/)
  })

  const full = entries(20, 'x'.repeat(190))

  test('may be replaced whole, whatever the change itself comes to', async () => {
    const { update } = await worldWithKey({ metadata: full })
    const others = entries(20, 'y'.repeat(190), 'm')
    const change = { metadata: { ...entries(20, null), ...others } }
    expect((await update(change)).metadata).toEqual(others)
  })

  test.each([
    [full, { other: 'x' }, 'must have at most 20 entries.'],
    [{}, entries(21, 'x'), 'must have at most 20 entries.'],
    [{}, entries(9, 'x'.repeat(500)), 'must have at most 4096 bytes as JSON.'],
  ])('%j is not changed by %j', async (metadata, change, message) => {
    const { update } = await worldWithKey({ metadata })
    const said = `change.metadata too_long: ${message}`
    expect(await saidOf(update({ metadata: change }))).toEqual([said])
  })
})
