import { describe, expect, test } from 'vitest'
import { action, keyInput, openWorld, refusal, START_MS } from '../../support/world.ts'

type World = ReturnType<typeof openWorld>

/** A world in which somebody changes the key just before each attempt. */
async function contested() {
  const world = openWorld()
  const { key } = await world.keys.createKey(keyInput())
  const verb = (name: 'update' | 'rotate') => {
    world.misbehaviour[name] = async () => {
      const record = await world.stored.findById('ws_1', key.id)
      return { outcome: 'stale', record }
    }
  }
  return { world, key, verb }
}

describe('a key that others change again and again', () => {
  test('a rotation gives up after four attempts', async () => {
    const { world, key, verb } = await contested()
    verb('rotate')
    world.asked()
    expect((await refusal(world.keys.rotateKey(action(key.id)))).code).toBe('conflict')
    expect(world.asked().filter((name) => name === 'rotate')).toHaveLength(4)
  })

  test('a pause gives up after twenty', async () => {
    const { world, key, verb } = await contested()
    verb('update')
    world.asked()
    expect((await refusal(world.keys.pauseKey(action(key.id)))).code).toBe('conflict')
    expect(world.asked().filter((name) => name === 'update')).toHaveLength(20)
  })

  test('an update rejects with stale at once', async () => {
    const { world, key, verb } = await contested()
    verb('update')
    const update = { ...action(key.id), version: 1, change: { name: 'ERP' } }
    expect((await refusal(world.keys.updateKey(update))).code).toBe('stale')
  })
})

describe('a key that has expired, though not by the clock of this process', () => {
  /** A world whose key expires in a day, and a storage by whose clock that has come. */
  async function expired(isPaused = false) {
    const world = openWorld()
    const expiresAt = new Date(START_MS + 86_400_000)
    const { key } = await world.keys.createKey(keyInput({ expiresAt }))
    if (isPaused) await world.keys.pauseKey(action(key.id))
    for (const name of ['update', 'rotate'] as const) {
      world.misbehaviour[name] = async () => {
        const record = await world.stored.findById('ws_1', key.id)
        return { outcome: 'expired', record }
      }
    }
    world.asked()
    return { world, key }
  }

  test.each<[string, Parameters<typeof expired>[0], (keys: World['keys'], id: string) => unknown]>([
    [
      'update',
      false,
      (keys, id) => keys.updateKey({ ...action(id), version: 1, change: { name: 'ERP' } }),
    ],
    ['update', false, (keys, id) => keys.pauseKey(action(id))],
    ['update', true, (keys, id) => keys.resumeKey(action(id))],
    ['rotate', false, (keys, id) => keys.rotateKey(action(id))],
  ])('%s is tried once (paused: %s)', async (verb, isPaused, change) => {
    const { world, key } = await expired(isPaused)
    const call = Promise.resolve(change(world.keys, key.id))
    expect((await refusal(call)).code).toBe('key_expired')
    expect(world.asked().filter((name) => name === verb)).toHaveLength(1)
  })
})

test('a resumption has the instant at which it is stored, however long the host took', async () => {
  const world = openWorld({
    entitlements: async () => {
      world.nowMs += 5_000
      return world.plan
    },
  })
  const { key } = await world.keys.createKey(keyInput())
  await world.keys.pauseKey(action(key.id))
  const resumed = await world.keys.resumeKey(action(key.id))
  expect(resumed.updatedAt).toEqual(new Date(START_MS + 10_000))
})
