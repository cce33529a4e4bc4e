import { describe, expect, test } from 'vitest'
import { relayEvents } from '../../../src/events/index.ts'
import { ERASED_PERSON } from '../../../src/index.ts'
import { codeOf, DAY_MS, later, verdict, worldWithKey } from '../../support/lifecycle/world.ts'
import { ACTOR, action, CREATOR, keyInput } from '../../support/world.ts'

describe('erasure', () => {
  test('an erased person is nowhere any more, and their keys go on', async () => {
    const { world, key, secret } = await worldWithKey()
    const { keys } = world
    await keys.pauseKey(action(key.id))
    await keys.resumeKey({ ...action(key.id), actor: CREATOR })
    const other = await keys.createKey(keyInput({ workspaceId: 'ws_2', creator: ACTOR }))
    expect(await keys.erasePerson({ personId: CREATOR.id })).toEqual({ keys: 1, events: 2 })
    const kept = await keys.getKey({ workspaceId: 'ws_1', id: key.id })
    expect(kept).toMatchObject({ creator: ERASED_PERSON, createdAt: key.createdAt, version: 4 })
    const { events } = await keys.listEvents({ workspaceId: 'ws_1' })
    expect(events.map(({ actor }) => actor)).toEqual([ERASED_PERSON, ACTOR, ERASED_PERSON])
    expect(await keys.getKey({ workspaceId: 'ws_2', id: other.key.id })).toEqual(other.key)
    expect(await keys.authenticate(`Bearer ${secret}`, null)).toMatchObject({
      ...{ ok: true, key: { creator: ERASED_PERSON } },
    })
    expect(await keys.erasePerson({ personId: CREATOR.id })).toEqual({ keys: 0, events: 0 })
    for (const personId of [ERASED_PERSON.id, 'miftah:system']) {
      expect(await keys.erasePerson({ personId })).toEqual({ keys: 0, events: 0 })
    }
  })

  test('an erased workspace authenticates nobody and gets no keys, and its uses go nowhere', async () => {
    const { world, key, secret } = await worldWithKey()
    const { keys } = world
    await keys.rotateKey({ ...action(key.id), overlapSeconds: 60 })
    await keys.createKey(keyInput({ expiresAt: later(DAY_MS) }))
    expect(await verdict(world, secret)).toBe('ok')
    expect(await keys.eraseWorkspace({ workspaceId: 'ws_1' })).toMatchObject({ keys: 3 })
    await keys.flush()
    expect(await verdict(world, secret)).toBe('unknown')
    expect(await keys.listKeys({ workspaceId: 'ws_1' })).toMatchObject({ keys: [], activeKeys: 0 })
    expect(await codeOf(keys.createKey(keyInput()))).toBe('workspace_erased')
    expect(await codeOf(keys.getKey({ workspaceId: 'ws_1', id: key.id }))).toBe('key_not_found')
    expect(await codeOf(keys.revokeKey(action(key.id)))).toBe('key_not_found')
    expect(await keys.eraseWorkspace({ workspaceId: 'ws_1' })).toEqual({ keys: 0, events: 0 })
  })

  test('the events of an erased workspace are delivered, and then gone', async () => {
    const { world } = await worldWithKey()
    const { keys } = world
    expect((await keys.eraseWorkspace({ workspaceId: 'ws_1' })).events).toBe(0)
    const delivered: string[] = []
    await new Promise<void>((resolve) => {
      const relay = relayEvents({
        storage: world.storage,
        deliver: (event) => {
          delivered.push(event.type)
          void relay.stop().then(resolve)
        },
      })
    })
    expect(delivered).toEqual(['api_key.created'])
    expect(await keys.listEvents({ workspaceId: 'ws_1' })).toEqual({ events: [], nextCursor: null })
  })

  test('a purge spares what was written in the last hour of the clock of the storage', async () => {
    const { world, key } = await worldWithKey()
    const { keys } = world
    await keys.revokeKey(action(key.id))
    world.nowMs += 2 * DAY_MS
    const before = new Date(world.nowMs - DAY_MS)
    expect(await keys.purge({ endedBefore: before, eventsBefore: before })).toEqual({
      ...{ keys: 0, events: 0 },
    })
  })
})
