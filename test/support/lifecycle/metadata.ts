import { expect } from 'vitest'
import { action, keyInput, openWorld } from '../world.ts'
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

  'what is refused': async (storage) => {
    const { keys } = openWorld({ storage, storageTimeoutMs: 30_000 })
    const cases: readonly (readonly [unknown, readonly string[]])[] = [
      [null, ['metadata:invalid_type']],
      ['x', ['metadata:invalid_type']],
      [['x'], ['metadata:invalid_type']],
      [JSON.parse('{"__proto__":"x"}'), ['metadata:invalid_value']],
      [{ constructor: 'x', prototype: 'y' }, Array(2).fill('metadata:invalid_value')],
      [{ '': 'x' }, ['metadata:invalid_value']],
      [{ 'a b': 'x' }, ['metadata:invalid_value']],
      [{ ['n'.repeat(41)]: 'x' }, ['metadata:invalid_value']],
      [{ team: 7, other: null }, ['metadata.other:invalid_type', 'metadata.team:invalid_type']],
      [{ team: 'x'.repeat(501) }, ['metadata.team:too_long']],
      [{ team: 'a\0' }, ['metadata.team:forbidden_character']],
      [{ team: '\ud800' }, ['metadata.team:forbidden_character']],
      [texts(21), ['metadata:too_long']],
      [texts(20, 'ع'.repeat(120)), ['metadata:too_long']],
    ]
    for (const [metadata, issues] of cases) {
      const refused = keys.createKey(keyInput({ metadata }))
      expect(await issuesOf(refused), JSON.stringify(metadata).slice(0, 80)).toEqual(issues)
    }
    expect((await keys.listKeys({ workspaceId: 'ws_1' })).keys).toEqual([])
  },

  'the bounds are taken': async (storage) => {
    const { keys } = openWorld({ storage, storageTimeoutMs: 30_000 })
    for (const metadata of [
      texts(20, 'x'.repeat(150)),
      { ['n'.repeat(40)]: '🔑'.repeat(500) },
      { text: 'ع'.repeat(500), newline: 'a\nb', price: '5 €' },
    ]) {
      const { key } = await keys.createKey(keyInput({ metadata }))
      expect({ ...key.metadata }).toEqual(metadata)
    }
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
