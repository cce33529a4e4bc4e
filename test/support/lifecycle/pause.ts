import { expect } from 'vitest'
import { plans } from '../../../src/index.ts'
import { ACTOR, action, START_MS } from '../world.ts'
import type { LifecycleCase } from './suite.ts'
import { after, codeOf, eventsOf, issuesOf, MINUTE_MS, verdict, worldWithKey } from './world.ts'

export const pauseCases: Readonly<Record<string, LifecycleCase>> = {
  'a paused key is refused until it is resumed': async (storage) => {
    const { world, keys, key, secret } = await worldWithKey(storage)
    expect(await verdict(world, secret)).toBe('ok')
    world.nowMs = START_MS + MINUTE_MS
    const paused = await keys.pauseKey(action(key.id))
    const at = after(MINUTE_MS)
    const pause = { status: 'paused', pausedAt: at, pausedBy: ACTOR, version: 2, updatedAt: at }
    expect(paused).toEqual({ ...key, ...pause })
    expect(await verdict(world, secret)).toBe('paused')
    expect((await keys.findKeyBySecret(secret))?.status).toBe('paused')
    expect(await keys.resumeKey(action(key.id))).toEqual({ ...key, version: 3, updatedAt: at })
    expect(await verdict(world, secret)).toBe('ok')
    expect(await eventsOf(world)).toEqual(['created', 'paused', 'resumed'])
  },

  'pausing and resuming again change nothing': async (storage) => {
    const { world, keys, key } = await worldWithKey(storage)
    expect(await keys.resumeKey(action(key.id))).toEqual(key)
    const paused = await keys.pauseKey(action(key.id))
    world.nowMs += MINUTE_MS
    const again = { ...action(key.id), actor: { id: 'u_9', name: 'x' } }
    expect(await keys.pauseKey(again)).toEqual(paused)
    expect(await eventsOf(world)).toEqual(['created', 'paused'])
  },

  'the replacement of a paused key is active': async (storage) => {
    const { world, keys, key, secret } = await worldWithKey(storage)
    await keys.pauseKey(action(key.id))
    const withOverlap = keys.rotateKey({ ...action(key.id), overlapSeconds: 60 })
    expect(await issuesOf(withOverlap)).toEqual(['overlapSeconds:invalid_value'])
    const rotated = await keys.rotateKey(action(key.id))
    expect(rotated.key).toMatchObject({ status: 'active', pausedAt: null, pausedBy: null })
    expect(await verdict(world, rotated.secret)).toBe('ok')
    expect(await verdict(world, secret)).toBe('revoked')
  },

  'pausing needs no plan, and resuming does': async (storage) => {
    const { world, keys, key } = await worldWithKey(storage)
    world.plan = plans.none
    await keys.pauseKey(action(key.id))
    expect(await codeOf(keys.resumeKey(action(key.id)))).toBe('plan_required')
    world.plan = plans.business
    expect((await keys.resumeKey(action(key.id))).status).toBe('active')
  },

  'a pause gets through beside updates': async (storage) => {
    const { world, keys, key, secret } = await worldWithKey(storage)
    const rename = async () => {
      for (let version = 1; version < 10; version += 1) {
        const change = { name: `Name ${version}` }
        await keys.updateKey({ ...action(key.id), version, change }).catch(() => undefined)
      }
    }
    await Promise.all([rename(), keys.pauseKey(action(key.id))])
    expect(await verdict(world, secret)).toBe('paused')
  },

  'a pause or an update that finds its work done has the storage confirm it': async (storage) => {
    const { world, keys, key } = await worldWithKey(storage)
    const { version } = await keys.pauseKey(action(key.id))
    for (const again of [
      () => keys.pauseKey(action(key.id)),
      () => keys.updateKey({ ...action(key.id), version, change: { name: key.name } }),
    ]) {
      world.asked()
      expect((await again()).version).toBe(version)
      expect(world.asked()).toContain('write')
    }
  },
}
