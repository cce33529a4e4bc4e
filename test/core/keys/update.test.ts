import { expect, test } from 'vitest'
import { plans } from '../../../src/index.ts'
import { action, keyInput, openWorld, refusal, START_MS } from '../../support/world.ts'

const MINUTE_MS = 60_000
const EXPIRES_AT = new Date(START_MS + 10 * MINUTE_MS)

async function worldWithKey(options: Parameters<typeof openWorld>[0] = {}) {
  const world = openWorld(options)
  const { key } = await world.keys.createKey(keyInput({ expiresAt: EXPIRES_AT }))
  const update = (change: object) => world.keys.updateKey({ ...action(key.id), version: 1, change })
  world.asked()
  return { world, key, update }
}

test('a key that expires while the plan is asked for stays expired', async () => {
  let pass = () => {}
  const { world, update } = await worldWithKey({
    entitlements: () => {
      pass()
      return plans.business
    },
  })
  world.nowMs = EXPIRES_AT.getTime() - 1
  pass = () => {
    world.nowMs += 1
  }
  expect((await refusal(update({ expiresAt: null }))).code).toBe('key_expired')
  expect(world.asked()).not.toContain('update')
})

test('an update is dated after the question for the plan', async () => {
  let pass = () => {}
  const { world, update } = await worldWithKey({
    entitlements: () => {
      pass()
      return plans.business
    },
  })
  pass = () => {
    world.nowMs += 5_000
  }
  expect((await update({ expiresAt: null })).updatedAt).toEqual(new Date(START_MS + 5_000))
})
