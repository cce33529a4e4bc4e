import { expect } from 'vitest'
import { action } from '../world.ts'
import type { LifecycleCase } from './suite.ts'
import { issuesOf, worldWithKey } from './world.ts'

const texts = (count: number, text = 'x') =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`entry_${at}`, text]))

export const metadataCases: Readonly<Record<string, LifecycleCase>> = {
  'comes back frozen and without a prototype': async (storage) => {
    const metadata = { team: 'مبيعات', 'a.b-c_1': '' }
    const { keys, key, secret } = await worldWithKey(storage, { metadata })
    expect({ ...key.metadata }).toEqual(metadata)
    const auth = await keys.authenticate(`Bearer ${secret}`, null)
    if (!auth.ok) return expect.fail(auth.reason)
    expect({ ...auth.key.metadata }).toEqual(metadata)
    expect(Object.isFrozen(auth.key.metadata)).toBe(true)
    expect(Object.getPrototypeOf(auth.key.metadata)).toBeNull()
  },

  'an update sets and removes entries, and the event names them alone': async (storage) => {
    const metadata = { team: 'sales', region: 'eu', same: 'x' }
    const { keys, key } = await worldWithKey(storage, { metadata })
    const change = { metadata: { team: 'support', region: null, tier: '1', same: 'x', none: null } }
    const updated = await keys.updateKey({ ...action(key.id), version: 1, change })
    expect({ ...updated.metadata }).toEqual({ team: 'support', tier: '1', same: 'x' })
    const { events } = await keys.listEvents({ workspaceId: 'ws_1' })
    expect(events[1]?.data).toMatchObject({
      before: { metadata: ['team', 'region'] },
      after: { metadata: ['team', 'tier'] },
    })
    expect(JSON.stringify(events)).not.toMatch(/sales|support/)
  },

  'rotation copies it': async (storage) => {
    const { keys, key } = await worldWithKey(storage, { metadata: { team: 'sales' } })
    const rotated = await keys.rotateKey(action(key.id))
    expect({ ...rotated.key.metadata }).toEqual({ team: 'sales' })
  },

  'an update cannot pass the bounds step by step': async (storage) => {
    const { keys, key } = await worldWithKey(storage, { metadata: texts(20) })
    const more = { ...action(key.id), version: 1, change: { metadata: { other: 'x' } } }
    expect(await issuesOf(keys.updateKey(more))).toEqual(['change.metadata:too_long'])
    const swapped = { metadata: { other: 'x', entry_0: null } }
    const updated = await keys.updateKey({ ...action(key.id), version: 1, change: swapped })
    expect(Object.keys(updated.metadata)).toHaveLength(20)
  },
}
