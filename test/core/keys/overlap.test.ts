import { describe, expect, test } from 'vitest'
import { plans } from '../../../src/index.ts'
import {
  DAY_MS,
  DAY_S,
  eventsOf,
  issuesOf,
  later,
  MINUTE_MS,
  settle,
  verdict,
  worldWithKey,
} from '../../support/lifecycle/world.ts'
import { action, keyInput, openWorld, refusal, START_MS } from '../../support/world.ts'

/** A key that was rotated with an overlap of a day. */
async function rotatedWorld(fields: Record<string, unknown> = {}) {
  const { world, keys, key, secret } = await worldWithKey(fields)
  const rotated = await keys.rotateKey({ ...action(key.id), overlapSeconds: DAY_S })
  return { world, keys, key, secret, rotated }
}

describe('overlap', () => {
  test('the old key works until the overlap ends, and not after', async () => {
    const { world, secret, rotated } = await rotatedWorld()
    const { key, replaced } = rotated
    expect(replaced).toMatchObject({ status: 'retiring', retiresAt: later(DAY_MS) })
    expect(replaced).toMatchObject({ replacedBy: key.id, revokedAt: null, version: 2 })
    expect([await verdict(world, secret), await verdict(world, rotated.secret)]).toEqual([
      'ok',
      'ok',
    ])
    world.nowMs = START_MS + DAY_MS - 1
    expect(await verdict(world, secret)).toBe('ok')
    world.nowMs = START_MS + DAY_MS
    expect(await verdict(world, secret)).toBe('revoked')
    expect(await verdict(world, rotated.secret)).toBe('ok')
    const old = await world.keys.getKey({ workspaceId: 'ws_1', id: replaced.id })
    expect(old).toMatchObject({ status: 'revoked', revokedAt: later(DAY_MS) })
  })

  test('an old key that expires in 10 minutes does not get 7 days', async () => {
    const expiresAt = later(10 * MINUTE_MS)
    const { keys, key, world, secret } = await worldWithKey({ expiresAt })
    const { replaced } = await keys.rotateKey({ ...action(key.id), overlapSeconds: 7 * DAY_S })
    expect(replaced.retiresAt).toEqual(expiresAt)
    world.nowMs = expiresAt.getTime()
    expect(await verdict(world, secret)).toBe('revoked')
  })

  test('a key has one successor', async () => {
    const { keys, key, rotated, world } = await rotatedWorld()
    for (const overlapSeconds of [0, DAY_S]) {
      const error = await refusal(keys.rotateKey({ ...action(key.id), overlapSeconds }))
      expect(error).toMatchObject({ code: 'key_rotated', replacedBy: rotated.key.id })
    }
    expect(await eventsOf(world)).toEqual(['created', 'rotated'])
  })

  test('ten active keys over a limit of 5, all rotated with an overlap', async () => {
    const world = openWorld()
    const { keys } = world
    world.plan = plans.enterprise
    const ids: string[] = []
    for (let made = 0; made < 10; made += 1) ids.push((await keys.createKey(keyInput())).key.id)
    world.plan = plans.business
    const rotate = (id: string, overlapSeconds: number) =>
      keys.rotateKey({ ...action(id), overlapSeconds })
    const { kept, codes } = await settle(ids.map((id) => rotate(id, DAY_S)))
    expect([kept, codes]).toEqual([5, Array(5).fill('overlap_limit_reached')])
    const { keys: listed } = await keys.listKeys({ workspaceId: 'ws_1', status: 'active' })
    const left = listed.filter(({ id }) => ids.includes(id))
    const error = await refusal(rotate(left[0]?.id ?? '', DAY_S))
    expect(error).toMatchObject({ code: 'overlap_limit_reached', retiringKeys: 5 })
    for (const { id } of left) expect((await rotate(id, 0)).replaced.status).toBe('revoked')
    world.nowMs = START_MS + DAY_MS
    expect((await rotate(listed[0]?.id ?? '', DAY_S).catch(() => null)) === null).toBe(
      left.some(({ id }) => id === listed[0]?.id),
    )
  })

  test('bounds of overlapSeconds', async () => {
    const { world, keys, key } = await worldWithKey()
    const rotate = (overlapSeconds: unknown) =>
      keys.rotateKey({ ...action(key.id), overlapSeconds } as never)
    expect(await issuesOf(rotate(-1))).toEqual(['overlapSeconds:out_of_range'])
    expect(await issuesOf(rotate(2_592_001))).toEqual(['overlapSeconds:out_of_range'])
    expect(await issuesOf(rotate(0.5))).toEqual(['overlapSeconds:invalid_type'])
    expect(await issuesOf(rotate('60'))).toEqual(['overlapSeconds:invalid_type'])
    expect(await issuesOf(rotate(604_801))).toEqual(['overlapSeconds:out_of_range'])
    world.plan = { ...plans.business, maxOverlapSeconds: 0 }
    expect(await issuesOf(rotate(1))).toEqual(['overlapSeconds:out_of_range'])
    expect(await eventsOf(world)).toEqual(['created'])
  })

  test('the replacement lives as long as the old key was made to', async () => {
    const { world, keys, key } = await worldWithKey({ expiresAt: later(10 * DAY_MS) })
    world.nowMs = START_MS + 4 * DAY_MS
    const { key: second } = await keys.rotateKey(action(key.id))
    expect(second.expiresAt).toEqual(later(14 * DAY_MS))
    const { key: third } = await keys.rotateKey({ ...action(second.id), expiresAt: null })
    expect(third.expiresAt).toBeNull()
    const { key: fourth } = await keys.rotateKey(action(third.id))
    expect(fourth.expiresAt).toBeNull()
  })

  test('revoking a retiring key ends its overlap now', async () => {
    const { keys, key, world, secret } = await rotatedWorld()
    world.nowMs = START_MS + MINUTE_MS
    const revoked = await keys.revokeKey(action(key.id))
    expect(revoked).toMatchObject({ status: 'revoked', revokedAt: later(MINUTE_MS) })
    expect(await verdict(world, secret)).toBe('revoked')
    const { events } = await keys.listEvents({ workspaceId: 'ws_1' })
    expect(events.at(-1)?.data).toMatchObject({ endedOverlap: true })
    expect(events.at(1)?.data).toMatchObject({ overlapEndsAt: later(DAY_MS).toISOString() })
  })

  test('revoking after the overlap moves nothing and makes no event', async () => {
    const { keys, key, world } = await rotatedWorld()
    world.nowMs = START_MS + 2 * DAY_MS
    const revoked = await keys.revokeKey(action(key.id))
    expect(revoked).toMatchObject({ status: 'revoked', revokedAt: later(DAY_MS) })
    expect(await eventsOf(world)).toEqual(['created', 'rotated'])
    // For a process whose clock is behind as well.
    world.nowMs = START_MS
    expect((await keys.getKey({ workspaceId: 'ws_1', id: key.id })).status).toBe('revoked')
  })

  test('nothing but revocation changes a retiring key', async () => {
    const { keys, key, rotated } = await rotatedWorld()
    const { id: replacedBy } = rotated.key
    const update = { ...action(key.id), version: 2, change: { name: 'x' } }
    for (const change of [
      () => keys.updateKey(update),
      () => keys.pauseKey(action(key.id)),
      () => keys.resumeKey(action(key.id)),
    ]) {
      expect(await refusal(change())).toMatchObject({ code: 'key_rotated', replacedBy })
    }
  })
})
