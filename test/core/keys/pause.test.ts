import { describe, expect, test } from 'vitest'
import { plans } from '../../../src/index.ts'
import {
  codeOf,
  eventsOf,
  issuesOf,
  later,
  MINUTE_MS,
  verdict,
  worldWithKey,
} from '../../support/lifecycle/world.ts'
import { ACTOR, action, START_MS } from '../../support/world.ts'

describe('pause', () => {
  test('a paused key is refused until it is resumed', async () => {
    const { world, keys, key, secret } = await worldWithKey()
    expect(await verdict(world, secret)).toBe('ok')
    world.nowMs = START_MS + MINUTE_MS
    const paused = await keys.pauseKey(action(key.id))
    const at = later(MINUTE_MS)
    const pause = { status: 'paused', pausedAt: at, pausedBy: ACTOR, version: 2, updatedAt: at }
    expect(paused).toEqual({ ...key, ...pause })
    expect(await verdict(world, secret)).toBe('paused')
    expect((await keys.findKeyBySecret(secret))?.status).toBe('paused')
    expect(await keys.resumeKey(action(key.id))).toEqual({ ...key, version: 3, updatedAt: at })
    expect(await verdict(world, secret)).toBe('ok')
    expect(await eventsOf(world)).toEqual(['created', 'paused', 'resumed'])
  })

  test('pausing and resuming again change nothing', async () => {
    const { world, keys, key } = await worldWithKey()
    expect(await keys.resumeKey(action(key.id))).toEqual(key)
    const paused = await keys.pauseKey(action(key.id))
    world.nowMs += MINUTE_MS
    const again = { ...action(key.id), actor: { id: 'u_9', name: 'x' } }
    expect(await keys.pauseKey(again)).toEqual(paused)
    expect(await eventsOf(world)).toEqual(['created', 'paused'])
  })

  test('the replacement of a paused key is active', async () => {
    const { world, keys, key, secret } = await worldWithKey()
    await keys.pauseKey(action(key.id))
    const withOverlap = keys.rotateKey({ ...action(key.id), overlapSeconds: 60 })
    expect(await issuesOf(withOverlap)).toEqual(['overlapSeconds:invalid_value'])
    const rotated = await keys.rotateKey(action(key.id))
    expect(rotated.key).toMatchObject({ status: 'active', pausedAt: null, pausedBy: null })
    expect(await verdict(world, rotated.secret)).toBe('ok')
    expect(await verdict(world, secret)).toBe('revoked')
  })

  test('pausing needs no plan, and resuming does', async () => {
    const { world, keys, key } = await worldWithKey()
    world.plan = plans.none
    await keys.pauseKey(action(key.id))
    expect(await codeOf(keys.resumeKey(action(key.id)))).toBe('plan_required')
    world.plan = plans.business
    expect((await keys.resumeKey(action(key.id))).status).toBe('active')
  })

  test('a change that finds its work done has the storage confirm it', async () => {
    const { world, keys, key } = await worldWithKey()
    for (const change of [
      () => keys.pauseKey(action(key.id)),
      () => keys.updateKey({ ...action(key.id), version: 2, change: { name: key.name } }),
      () => keys.revokeKey(action(key.id)),
    ]) {
      const { version } = await change()
      world.asked()
      expect((await change()).version).toBe(version)
      expect(world.asked()).toContain('write')
    }
  })
})
