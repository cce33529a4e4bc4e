import { describe, expect, test } from 'vitest'
import { BATCH } from '../../../src/erasure/erase.ts'
import { relayEvents } from '../../../src/events/index.ts'
import { ERASED_PERSON, plans } from '../../../src/index.ts'
import type { WorkspaceDeletion } from '../../../src/storage/index.ts'
import {
  codeOf,
  DAY_MS,
  later,
  MINUTE_MS,
  meanwhile,
  verdict,
  worldWithKey,
} from '../../support/lifecycle/world.ts'
import { ACTOR, action, CREATOR, keyInput, openWorld, WORKSPACE } from '../../support/world.ts'

const NONE = { keys: 0, events: 0 }
const workspaceId = WORKSPACE

describe('an erased person', () => {
  test('is no creator, pauser or actor any more, in any workspace, and their keys go on', async () => {
    const { keys, key, one, secret, now } = await worldWithKey()
    await keys.pauseKey(one)
    await keys.resumeKey({ ...one, actor: CREATOR })
    const other = (await keys.createKey(keyInput({ workspaceId: 'ws_2', creator: ACTOR }))).key
    await keys.pauseKey({ ...action(other.id, 'ws_2'), actor: CREATOR })
    expect(await keys.erasePerson({ personId: CREATOR.id })).toEqual({ keys: 2, events: 3 })
    const { createdAt, updatedAt } = key
    const kept = { creator: ERASED_PERSON, createdAt, updatedAt, version: 4 }
    expect(await now()).toMatchObject(kept)
    const paused = await keys.getKey({ workspaceId: 'ws_2', id: other.id })
    expect(paused).toMatchObject({ creator: ACTOR, pausedBy: ERASED_PERSON })
    const { events } = await keys.listEvents({ workspaceId })
    expect(events.map(({ actor }) => actor)).toEqual([ERASED_PERSON, ACTOR, ERASED_PERSON])
    expect(await keys.authenticate(`Bearer ${secret}`, null)).toMatchObject({
      ...{ ok: true, key: { creator: ERASED_PERSON } },
    })
    for (const personId of [CREATOR.id, ERASED_PERSON.id, 'miftah:system']) {
      expect(await keys.erasePerson({ personId })).toEqual(NONE)
    }
  })

  test('is taken out of a key once, though the answer to that is lost', async () => {
    const { world, keys, now } = await worldWithKey()
    world.misbehaviour.write = async (...writes: never[]) => {
      delete world.misbehaviour.write
      await Reflect.apply(world.stored.write, world.stored, writes)
      throw new Error('the connection was lost')
    }
    expect(await keys.erasePerson({ personId: CREATOR.id })).toMatchObject({ keys: 1 })
    expect(await now()).toMatchObject({ creator: ERASED_PERSON, version: 2 })
  })
})

describe('an erased workspace', () => {
  test('has lost keys in every state, authenticates nobody and takes no new key', async () => {
    const { world, keys, key, one, secret } = await worldWithKey()
    const make = async (fields = {}) => action((await keys.createKey(keyInput(fields))).key.id)
    await keys.pauseKey(await make())
    await keys.revokeKey(await make())
    await keys.rotateKey({ ...(await make()), overlapSeconds: 60 })
    await make({ expiresAt: later(MINUTE_MS) })
    const { id } = await make({ workspaceId: 'ws_2' })
    world.nowMs += 2 * MINUTE_MS
    expect(await verdict(world, secret)).toBe('ok')
    expect(await keys.eraseWorkspace({ workspaceId })).toMatchObject({ keys: 6 })
    await keys.flush()
    expect(await verdict(world, secret)).toBe('unknown')
    expect(await keys.listKeys({ workspaceId })).toMatchObject({ keys: [], activeKeys: 0 })
    expect(await codeOf(make())).toBe('workspace_erased')
    expect(await codeOf(keys.getKey({ workspaceId, id: key.id }))).toBe('key_not_found')
    expect(await codeOf(keys.revokeKey(one))).toBe('key_not_found')
    expect(await keys.eraseWorkspace({ workspaceId })).toEqual(NONE)
    expect(await keys.listKeys({ workspaceId: 'ws_2' })).toMatchObject({ keys: [{ id }] })
  })

  test('has its events delivered, and they are gone then', async () => {
    const { world, keys } = await worldWithKey()
    expect((await keys.eraseWorkspace({ workspaceId })).events).toBe(0)
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
    expect(await keys.listEvents({ workspaceId })).toEqual({ events: [], nextCursor: null })
  })

  test('goes in steps, each with a turn of the event loop of its own', async () => {
    const world = openWorld()
    world.plan = plans.enterprise
    const count = 2 * BATCH + 1
    await Promise.all(Array.from({ length: count }, () => world.keys.createKey(keyInput())))
    let turn = 0
    const turnsAt: number[] = []
    world.misbehaviour.deleteWorkspace = (deletion: WorkspaceDeletion) => {
      turnsAt.push(turn)
      setTimeout(() => {
        turn += 1
      }, 0)
      return world.stored.deleteWorkspace(deletion)
    }
    expect(await world.keys.eraseWorkspace({ workspaceId })).toEqual({ keys: count, events: 0 })
    expect(turnsAt).toEqual([0, 1, 2])
  })

  test.each(['revokeKey', 'eraseWorkspace'] as const)(
    'is erased also where another process calls %s meanwhile',
    async (operation) => {
      const { world, keys, one } = await worldWithKey()
      meanwhile(world, (others) =>
        operation === 'revokeKey' ? others.revokeKey(one) : others.eraseWorkspace({ workspaceId }),
      )
      await keys.eraseWorkspace({ workspaceId })
      expect((await keys.listKeys({ workspaceId })).keys).toEqual([])
    },
  )
})

test('a purge spares what was written in the last hour of the clock of the storage', async () => {
  const { world, keys, one } = await worldWithKey()
  await keys.revokeKey(one)
  world.nowMs += 2 * DAY_MS
  const before = new Date(world.nowMs - DAY_MS)
  expect(await keys.purge({ endedBefore: before, eventsBefore: before })).toEqual(NONE)
})
