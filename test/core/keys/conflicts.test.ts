import { describe, expect, test } from 'vitest'
import { action, keyInput, openWorld, refusal } from '../../support/world.ts'

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

  test('an update hears stale at once', async () => {
    const { world, key, verb } = await contested()
    verb('update')
    const update = { ...action(key.id), version: 1, change: { name: 'ERP' } }
    expect((await refusal(world.keys.updateKey(update))).code).toBe('stale')
  })
})

describe('fields from outside', () => {
  const { keys } = openWorld()

  test('of an update are checked without updating', () => {
    expect(keys.checkChanges({ name: ' ERP ' })).toEqual({ name: 'ERP' })
    expect(() => keys.checkChanges({ environment: 'test' })).toThrow(/is not a known field/)
  })

  test('of a rotation are checked without rotating', () => {
    expect(keys.checkRotation({})).toEqual({ overlapSeconds: 0 })
    expect(() => keys.checkRotation({ id: 'key_x' })).toThrow(/is not a known field/)
  })
})
