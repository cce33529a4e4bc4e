import { describe, expect, test } from 'vitest'
import { plans } from '../../../src/index.ts'
import {
  codeOf,
  DAY_MS,
  eventsOf,
  issuesOf,
  later,
  MINUTE_MS,
  settle,
  worldWithKey,
} from '../../support/lifecycle/world.ts'
import { ACTOR, action, refusal, START_MS } from '../../support/world.ts'

describe('update', () => {
  test('changes what is given, and nothing else', async () => {
    const { world, keys, key } = await worldWithKey({ metadata: { team: 'sales' } })
    world.nowMs = START_MS + MINUTE_MS
    const change = { name: ' ERP ', scopes: ['flows.read', 'contacts.read'] as const }
    const updated = await keys.updateKey({ ...action(key.id), version: 1, change })
    expect(updated).toEqual({
      ...key,
      name: 'ERP',
      scopes: ['contacts.read', 'flows.read'],
      version: 2,
      updatedAt: later(MINUTE_MS),
    })
    expect(await keys.getKey({ workspaceId: 'ws_1', id: key.id })).toEqual(updated)
    const { events } = await keys.listEvents({ workspaceId: 'ws_1' })
    expect(events[1]).toMatchObject({ type: 'api_key.updated', actor: ACTOR, keyId: key.id })
    expect(events[1]?.data).toEqual({
      ...{ name: 'ERP', environment: 'live', prefix: key.prefix },
      scopes: ['contacts.read', 'flows.read'],
      before: { name: 'CRM sync', scopes: ['contacts.read'] },
      after: { name: 'ERP', scopes: ['contacts.read', 'flows.read'] },
    })
  })

  test('two with one version: one wins, the other gets stale with the key', async () => {
    const { keys, key } = await worldWithKey()
    const update = (name: string) =>
      keys.updateKey({ ...action(key.id), version: 1, change: { name } })
    const names = Array.from({ length: 20 }, (_, at) => `Name ${at}`)
    const { kept, codes } = await settle(names.map(update))
    expect([kept, new Set(codes)]).toEqual([1, new Set(['stale'])])
    const error = await refusal(update('Late'))
    expect(error.key).toEqual(await keys.getKey({ workspaceId: 'ws_1', id: key.id }))
    expect(error.key?.version).toBe(2)
  })

  test('100 changes that change nothing', async () => {
    const { world, keys, key } = await worldWithKey({ expiresAt: later(DAY_MS) })
    world.nowMs = START_MS + MINUTE_MS
    const { name, scopes, expiresAt } = key
    const change = { name: ` ${name} `, scopes, expiresAt, metadata: { none: null } }
    for (let times = 0; times < 100; times += 1) {
      expect(await keys.updateKey({ ...action(key.id), version: 1, change })).toEqual(key)
    }
    await keys.updateKey({ ...action(key.id), version: 1, change: {} })
    expect(await eventsOf(world)).toEqual(['created'])
  })

  test('bad changes are refused, with nothing written and no event', async () => {
    const { world, keys, key } = await worldWithKey()
    const update = (change: unknown, version: unknown = 1) =>
      keys.updateKey({ ...action(key.id), version, change } as never)
    const cases: readonly (readonly [unknown, readonly string[]])[] = [
      [{ name: null }, ['change.name:invalid_type']],
      [{ name: ' ' }, ['change.name:required']],
      [{ scopes: null }, ['change.scopes:invalid_type']],
      [{ scopes: [] }, ['change.scopes:required']],
      [{ scopes: ['*'] }, ['change.scopes.0:unknown_scope']],
      [{ expiresAt: later(0) }, ['change.expiresAt:out_of_range']],
      [{ metadata: null }, ['change.metadata:invalid_type']],
      [null, ['change:invalid_type']],
      [undefined, ['change:required']],
      [
        { environment: 'test', workspaceId: 'w', id: 'k', creator: {}, secret: 's', replaces: 'k' },
        ['creator', 'environment', 'id', 'replaces', 'secret', 'workspaceId'].map(
          (field) => `change.${field}:unknown_field`,
        ),
      ],
      [JSON.parse('{"__proto__":{"name":"x"}}'), ['change.__proto__:unknown_field']],
    ]
    for (const [change, issues] of cases) {
      expect(await issuesOf(update(change)), JSON.stringify(change)).toEqual(issues)
    }
    expect(await issuesOf(update({}, 0))).toEqual(['version:out_of_range'])
    expect(await issuesOf(update({}, '1'))).toEqual(['version:invalid_type'])
    expect(await issuesOf(update({}, null))).toEqual(['version:invalid_type'])
    expect(await keys.getKey({ workspaceId: 'ws_1', id: key.id })).toEqual(key)
    expect(await eventsOf(world)).toEqual(['created'])
  })

  test('only widening needs the plan', async () => {
    const scopes = ['contacts.read', 'flows.read']
    const { world, keys, key } = await worldWithKey({ scopes, expiresAt: later(DAY_MS) })
    world.plan = plans.none
    let version = 1
    const update = (change: object) => keys.updateKey({ ...action(key.id), version, change })
    const wider = [
      { scopes: [...scopes, 'webhooks.read'] },
      { scopes: ['webhooks.read'] },
      { expiresAt: later(2 * DAY_MS) },
      { expiresAt: null },
    ]
    for (const change of wider) expect(await codeOf(update(change))).toBe('plan_required')
    const others = [
      { name: 'Other' },
      { scopes: ['flows.read'] },
      { expiresAt: later(DAY_MS - 1) },
      { metadata: { team: 'sales' } },
    ]
    for (const change of others) version = (await update(change)).version
    expect(version).toBe(5)
  })

  test('a revoked key is not changed, and a foreign one not found', async () => {
    const { keys, key } = await worldWithKey()
    await keys.revokeKey(action(key.id))
    const update = { ...action(key.id), version: 1, change: { name: 'x' } }
    expect(await codeOf(keys.updateKey(update))).toBe('key_revoked')
    expect(await codeOf(keys.updateKey({ ...update, workspaceId: 'ws_2' }))).toBe('key_not_found')
    expect(await codeOf(keys.getKey({ workspaceId: 'ws_2', id: key.id }))).toBe('key_not_found')
    expect(await codeOf(keys.getKey({ workspaceId: 'ws_1', id: '../x' }))).toBe('key_not_found')
  })
})
