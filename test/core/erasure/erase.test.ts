import { expect, test } from 'vitest'
import { BATCH } from '../../../src/erasure/erase.ts'
import type { WorkspaceDeletion } from '../../../src/storage/index.ts'
import { action, keyInput, openWorld, refusal, WORKSPACE } from '../../support/world.ts'

test('each step of an erasure has a turn of the event loop of its own', async () => {
  const world = openWorld()
  world.plan = { publicApi: true, activeKeyLimit: null }
  for (let n = 0; n < 2 * BATCH + 1; n += 1) await world.keys.createKey(keyInput())
  let turn = 0
  const turnsAt: number[] = []
  world.misbehaviour.deleteWorkspace = (deletion: WorkspaceDeletion) => {
    turnsAt.push(turn)
    setTimeout(() => {
      turn += 1
    }, 0)
    return world.stored.deleteWorkspace(deletion)
  }
  const outcome = await world.keys.eraseWorkspace({ workspaceId: WORKSPACE })
  expect(outcome).toEqual({ keys: 2 * BATCH + 1, events: 0 })
  expect(turnsAt).toEqual([0, 1, 2])
})

test('a workspace with keys in every state is erased, and takes no new key', async () => {
  const world = openWorld()
  const make = async (fields = {}) => (await world.keys.createKey(keyInput(fields))).key
  const [paused, revoked, rotated] = [await make(), await make(), await make()]
  await make({ expiresAt: new Date(world.nowMs + 60_000) })
  await world.keys.pauseKey(action(paused.id))
  await world.keys.revokeKey(action(revoked.id))
  await world.keys.rotateKey({ ...action(rotated.id), overlapSeconds: 60 })
  world.nowMs += 120_000
  const elsewhere = await make({ workspaceId: 'ws_2' })
  expect(await world.keys.eraseWorkspace({ workspaceId: WORKSPACE })).toMatchObject({ keys: 5 })
  expect((await world.keys.listKeys({ workspaceId: WORKSPACE })).keys).toEqual([])
  expect((await refusal(make().then(String))).code).toBe('workspace_erased')
  expect(await world.keys.listKeys({ workspaceId: 'ws_2' })).toMatchObject({
    keys: [{ id: elsewhere.id }],
  })
})

test.each(['revokeKey', 'eraseWorkspace'] as const)(
  'an erasure that meets %s of another process ends as well',
  async (operation) => {
    const world = openWorld()
    const { key } = await world.keys.createKey(keyInput())
    const other = openWorld({ storage: world.stored })
    world.misbehaviour.write = async (...writes: never[]) => {
      delete world.misbehaviour.write
      if (operation === 'revokeKey') await other.keys.revokeKey(action(key.id))
      else await other.keys.eraseWorkspace({ workspaceId: WORKSPACE })
      return Reflect.apply(world.stored.write, world.stored, writes)
    }
    await world.keys.eraseWorkspace({ workspaceId: WORKSPACE })
    expect((await world.keys.listKeys({ workspaceId: WORKSPACE })).keys).toEqual([])
  },
)

test('a person is renamed as creator, as who paused, and in the log, in every workspace', async () => {
  const world = openWorld()
  const person = { id: 'u_9', name: 'Lina' }
  const { key } = await world.keys.createKey(keyInput({ creator: person }))
  const other = await world.keys.createKey(keyInput({ workspaceId: 'ws_2' }))
  const pause = { workspaceId: 'ws_2', id: other.key.id, actor: person }
  await world.keys.pauseKey(pause)
  expect(await world.keys.erasePerson({ personId: 'u_9' })).toEqual({ keys: 2, events: 2 })
  const erased = { id: 'miftah:erased' }
  const found = await world.keys.getKey({ workspaceId: WORKSPACE, id: key.id })
  expect(found).toMatchObject({ creator: erased, version: 2, updatedAt: key.updatedAt })
  const paused = await world.keys.getKey({ workspaceId: 'ws_2', id: other.key.id })
  expect(paused).toMatchObject({ creator: { id: 'u_1' }, pausedBy: erased })
  expect(await world.keys.erasePerson({ personId: 'u_9' })).toEqual({ keys: 0, events: 0 })
})

test('a person is taken out of a key once, though the answer to that is lost', async () => {
  const world = openWorld()
  const { key } = await world.keys.createKey(keyInput())
  world.misbehaviour.write = async (...writes: never[]) => {
    delete world.misbehaviour.write
    await Reflect.apply(world.stored.write, world.stored, writes)
    throw new Error('the connection was lost')
  }
  expect(await world.keys.erasePerson({ personId: 'u_1' })).toMatchObject({ keys: 1 })
  const found = await world.keys.getKey({ workspaceId: WORKSPACE, id: key.id })
  expect(found).toMatchObject({ creator: { id: 'miftah:erased' }, version: 2 })
})
