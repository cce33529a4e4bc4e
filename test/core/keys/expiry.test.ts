import { describe, expect, test } from 'vitest'
import { checkerOf } from '../../../src/http/index.ts'
import { plans } from '../../../src/index.ts'
import {
  codeOf,
  DAY_MS,
  DAY_S,
  eventsOf,
  issuesOf,
  later,
  MINUTE_MS,
  verdict,
  worldWithKey,
} from '../../support/lifecycle/world.ts'
import { action, keyInput, openWorld, START_MS } from '../../support/world.ts'

const IN_A_DAY = later(DAY_MS)

class OtherTime extends Date {
  override getTime(): number {
    return START_MS + DAY_MS
  }
}

describe('expiry', () => {
  test('a key expires at its instant, and not before, with warm caches', async () => {
    const { world, key, secret } = await worldWithKey({ expiresAt: IN_A_DAY })
    expect(key.expiresAt).toEqual(IN_A_DAY)
    expect(await verdict(world, secret)).toBe('ok')
    world.nowMs = IN_A_DAY.getTime() - 1
    expect(await verdict(world, secret)).toBe('ok')
    world.nowMs = IN_A_DAY.getTime()
    expect(await verdict(world, secret)).toBe('expired')
    const { status } = await world.keys.getKey({ workspaceId: 'ws_1', id: key.id })
    expect(status).toBe('expired')
    expect((await world.keys.findKeyBySecret(secret))?.status).toBe('expired')
  })

  test('instants that are refused, with an issue on expiresAt', async () => {
    const { keys } = openWorld()
    const cases: readonly (readonly [unknown, string])[] = [
      [later(0), 'out_of_range'],
      [later(-1), 'out_of_range'],
      [later(59_999), 'out_of_range'],
      [new Date(Date.UTC(10_000, 0, 1)), 'out_of_range'],
      ['2026-02-30T00:00:00Z', 'invalid_value'],
      ['2026-06-01T00:00:00', 'invalid_value'],
      ['2026-06-01', 'invalid_value'],
      [new Date(Number.NaN), 'invalid_value'],
      [Number.NaN, 'invalid_value'],
      [START_MS + DAY_MS, 'invalid_value'],
      [{ getTime: () => START_MS + DAY_MS }, 'invalid_value'],
      [{}, 'invalid_value'],
      // Its own method says tomorrow; it is a second ago.
      [new OtherTime(START_MS - 1_000), 'out_of_range'],
      [Object.assign(later(-1), { getTime: () => START_MS + DAY_MS }), 'out_of_range'],
    ]
    for (const [expiresAt, code] of cases) {
      const issues = await issuesOf(keys.createKey(keyInput({ expiresAt })))
      expect(issues, String(expiresAt)).toEqual([`expiresAt:${code}`])
    }
    expect((await keys.listKeys({ workspaceId: 'ws_1' })).keys).toEqual([])
    expect((await keys.listEvents({ workspaceId: 'ws_1' })).events).toEqual([])
  })

  test('instants that are taken: 60 seconds ahead, the last of year 9999, and never', async () => {
    const { keys } = openWorld()
    const last = new Date(Date.UTC(10_000, 0, 1) - 1)
    for (const expiresAt of [later(MINUTE_MS), last, null]) {
      const { key } = await keys.createKey(keyInput({ expiresAt }))
      expect(key.expiresAt).toEqual(expiresAt)
    }
    const fields = checkerOf(keys).fields({
      ...{ name: 'x', environment: 'live', scopes: ['flows.read'] },
      expiresAt: '2026-02-28T02:00:00.5+03:00',
    })
    expect(fields.expiresAt).toEqual(new Date(Date.UTC(2026, 1, 27, 23, 0, 0, 500)))
  })

  test('a date that the caller changes later changes nothing', async () => {
    const expiresAt = later(DAY_MS)
    const { key, keys } = await worldWithKey({ expiresAt })
    expiresAt.setTime(START_MS + 900 * DAY_MS)
    const { expiresAt: stored } = await keys.getKey({ workspaceId: 'ws_1', id: key.id })
    expect(stored).toEqual(IN_A_DAY)
  })

  test('every change of an expired key but revocation is refused', async () => {
    const { world, keys, key, secret } = await worldWithKey({ expiresAt: IN_A_DAY })
    world.nowMs = IN_A_DAY.getTime()
    const { version } = key
    const change = { expiresAt: later(9 * DAY_MS) }
    expect(await codeOf(keys.updateKey({ ...action(key.id), version, change }))).toBe('key_expired')
    expect(await codeOf(keys.pauseKey(action(key.id)))).toBe('key_expired')
    expect(await codeOf(keys.resumeKey(action(key.id)))).toBe('key_expired')
    expect(await codeOf(keys.rotateKey(action(key.id)))).toBe('key_expired')
    expect(await verdict(world, secret)).toBe('expired')
    expect((await keys.revokeKey(action(key.id))).status).toBe('revoked')
    expect(await verdict(world, secret)).toBe('revoked')
    expect(await eventsOf(world)).toEqual(['created', 'revoked'])
  })

  test('the policy: omitted is the latest, null is required, later is out of range', async () => {
    const world = openWorld()
    world.plan = { ...plans.business, maxLifetimeSeconds: 30 * DAY_S }
    const { keys } = world
    const { key } = await keys.createKey(keyInput())
    expect(key.expiresAt).toEqual(later(30 * DAY_MS))
    expect(await issuesOf(keys.createKey(keyInput({ expiresAt: null })))).toEqual([
      'expiresAt:required',
    ])
    const late = keyInput({ expiresAt: later(30 * DAY_MS + 1) })
    expect(await issuesOf(keys.createKey(late))).toEqual(['expiresAt:out_of_range'])
    const list = await keys.listKeys({ workspaceId: 'ws_1' })
    expect(list.maxLifetimeSeconds).toBe(30 * DAY_S)
  })

  test('the policy is not escaped by two updates', async () => {
    const world = openWorld()
    world.plan = { ...plans.business, maxLifetimeSeconds: 30 * DAY_S }
    const { keys } = world
    const { key } = await keys.createKey(keyInput({ expiresAt: later(10 * DAY_MS) }))
    const extend = (version: number, expiresAt: Date | null) =>
      keys.updateKey({ ...action(key.id), version, change: { expiresAt } })
    world.nowMs = START_MS + 9 * DAY_MS
    await extend(1, later(20 * DAY_MS))
    world.nowMs = START_MS + 19 * DAY_MS
    expect(await issuesOf(extend(2, later(31 * DAY_MS)))).toEqual(['change.expiresAt:out_of_range'])
    expect(await issuesOf(extend(2, null))).toEqual(['change.expiresAt:required'])
    expect((await extend(2, later(30 * DAY_MS))).expiresAt).toEqual(later(30 * DAY_MS))
  })

  test('the policy is not escaped by rotation', async () => {
    const { world, keys, key } = await worldWithKey()
    world.plan = { ...plans.business, maxLifetimeSeconds: 30 * DAY_S }
    const rotate = (expiresAt: Date | null) => keys.rotateKey({ ...action(key.id), expiresAt })
    expect(await issuesOf(rotate(null))).toEqual(['expiresAt:required'])
    expect(await issuesOf(rotate(later(30 * DAY_MS + 1)))).toEqual(['expiresAt:out_of_range'])
    const rotated = await keys.rotateKey(action(key.id))
    expect(rotated.key.expiresAt).toEqual(later(30 * DAY_MS))
  })

  test('the policy touches no key that exists', async () => {
    const { world, keys, key, secret } = await worldWithKey({
      expiresAt: later(90 * DAY_MS),
    })
    world.plan = { ...plans.business, maxLifetimeSeconds: 60 }
    keys.dropEntitlements()
    world.nowMs = START_MS + DAY_MS
    expect(await verdict(world, secret)).toBe('ok')
    const narrower = { ...action(key.id), version: 1, change: { expiresAt: later(80 * DAY_MS) } }
    expect((await keys.updateKey(narrower)).expiresAt).toEqual(later(80 * DAY_MS))
  })

  test('keys are listed by the status that they have now', async () => {
    const { world, keys, key } = await worldWithKey({ expiresAt: IN_A_DAY })
    const { key: lasting } = await keys.createKey(keyInput())
    await keys.pauseKey(action(lasting.id))
    world.nowMs = IN_A_DAY.getTime()
    const idsOf = async (status: 'active' | 'expired' | 'paused') =>
      (await keys.listKeys({ workspaceId: 'ws_1', status })).keys.map(({ id }) => id)
    expect(await idsOf('expired')).toEqual([key.id])
    expect(await idsOf('paused')).toEqual([lasting.id])
    expect(await idsOf('active')).toEqual([])
  })
})
