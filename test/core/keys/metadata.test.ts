import { describe, expect, test } from 'vitest'
import { issuesOf, worldWithKey } from '../../support/lifecycle/world.ts'
import { action, withoutIds } from '../../support/world.ts'

const texts = (count: number, text = 'x') =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`entry_${at}`, text]))

describe('metadata', () => {
  test('comes back frozen and without a prototype', async () => {
    const metadata = { team: 'مبيعات', 'a.b-c_1': '' }
    const { keys, key, secret } = await worldWithKey({ metadata })
    expect({ ...key.metadata }).toEqual(metadata)
    const auth = await keys.authenticate(`Bearer ${secret}`, null)
    if (!auth.ok) return expect.fail(auth.reason)
    expect({ ...auth.key.metadata }).toEqual(metadata)
    expect(Object.isFrozen(auth.key.metadata)).toBe(true)
    expect(Object.getPrototypeOf(auth.key.metadata)).toBeNull()
  })

  test('an update sets and removes entries, and the event names them alone', async () => {
    const metadata = { team: 'sales', region: 'eu', same: 'x' }
    const { keys, key } = await worldWithKey({ metadata })
    const change = { metadata: { team: 'support', region: null, tier: '1', same: 'x', none: null } }
    const updated = await keys.updateKey({ ...action(key.id), version: 1, change })
    expect({ ...updated.metadata }).toEqual({ team: 'support', tier: '1', same: 'x' })
    const { events } = await keys.listEvents({ workspaceId: 'ws_1' })
    expect(events[1]?.data).toMatchObject({
      before: { metadata: ['team', 'region'] },
      after: { metadata: ['team', 'tier'] },
    })
    expect(withoutIds(JSON.stringify(events))).not.toMatch(/sales|support/)
  })

  test('rotation copies it', async () => {
    const { keys, key } = await worldWithKey({ metadata: { team: 'sales' } })
    const rotated = await keys.rotateKey(action(key.id))
    expect({ ...rotated.key.metadata }).toEqual({ team: 'sales' })
  })

  test('an update cannot pass the bounds step by step', async () => {
    const { keys, key } = await worldWithKey({ metadata: texts(20) })
    const more = { ...action(key.id), version: 1, change: { metadata: { other: 'x' } } }
    expect(await issuesOf(keys.updateKey(more))).toEqual(['change.metadata:too_long'])
    const swapped = { metadata: { other: 'x', entry_0: null } }
    const updated = await keys.updateKey({ ...action(key.id), version: 1, change: swapped })
    expect(Object.keys(updated.metadata)).toHaveLength(20)
  })
})
