import { describe, expect, test } from 'vitest'
import type { WorkspaceWrite } from '../../../src/storage/index.ts'
import { action, keyInput, openWorld, refusal, START_MS } from '../../support/world.ts'

/** A world in which another process changes a key just before the next write is stored. */
async function overtakenBy(change: (world: ReturnType<typeof openWorld>, id: string) => unknown) {
  const world = openWorld()
  const { key } = await world.keys.createKey(keyInput())
  const other = openWorld({ storage: world.stored })
  world.misbehaviour.write = async (writes: readonly WorkspaceWrite[]) => {
    delete world.misbehaviour.write
    await change(other, key.id)
    return world.stored.write(writes)
  }
  return { keys: world.keys, id: key.id }
}

describe('a change that another overtakes is decided afresh', () => {
  test('an update is stale', async () => {
    const { keys, id } = await overtakenBy(({ keys }, id) => keys.pauseKey(action(id)))
    const update = keys.updateKey({ ...action(id), version: 1, change: { name: 'ERP' } })
    expect(await refusal(update)).toMatchObject({ code: 'stale', key: { status: 'paused' } })
  })

  test('a pause keeps what the update has changed', async () => {
    const { keys, id } = await overtakenBy(({ keys }, id) =>
      keys.updateKey({ ...action(id), version: 1, change: { name: 'ERP' } }),
    )
    expect(await keys.pauseKey(action(id))).toMatchObject({ name: 'ERP', status: 'paused' })
  })

  test('a rotation is refused once the key is revoked', async () => {
    const { keys, id } = await overtakenBy(({ keys }, id) => keys.revokeKey(action(id)))
    expect((await refusal(keys.rotateKey(action(id)))).code).toBe('key_revoked')
  })

  test('a revocation finds the key revoked, and writes no second event', async () => {
    const { keys, id } = await overtakenBy(({ keys }, id) => keys.revokeKey(action(id)))
    expect(await keys.revokeKey(action(id))).toMatchObject({ status: 'revoked' })
    const { events } = await keys.listEvents({ workspaceId: 'ws_1' })
    expect(events.map(({ type }) => type)).toEqual(['api_key.created', 'api_key.revoked'])
  })

  test('a key that is deleted meanwhile is not found', async () => {
    const { keys, id } = await overtakenBy(({ keys }) =>
      keys.eraseWorkspace({ workspaceId: 'ws_1' }),
    )
    expect((await refusal(keys.pauseKey(action(id)))).code).toBe('key_not_found')
  })
})

describe('a key in its last ten seconds', () => {
  async function ending(secondsLeft: number) {
    const world = openWorld()
    const expiresAt = new Date(START_MS + 86_400_000)
    const { key } = await world.keys.createKey(keyInput({ expiresAt }))
    world.nowMs += 86_400_000 - secondsLeft * 1_000
    return { ...world, key }
  }
  const later = new Date(START_MS + 172_800_000)

  test.each([
    [10, null],
    [9.999, 'key_expired'],
  ])('is not extended or rotated, with %s s left: %s', async (left, code) => {
    const codeOf = (call: Promise<unknown>) =>
      call.then(
        () => null,
        (error) => error.code,
      )
    const one = await ending(left)
    const extension = { ...action(one.key.id), version: 1, change: { expiresAt: later } }
    expect(await codeOf(one.keys.updateKey(extension))).toBe(code)
    const other = await ending(left)
    expect(await codeOf(other.keys.rotateKey(action(other.key.id)))).toBe(code)
  })

  test.each([
    [59.999, 1],
    [60, null],
  ])('with %s s left it is given time only while the workspace has %s keys', async (left, most) => {
    for (const how of ['extended', 'rotated']) {
      const { keys, key, misbehaviour, stored } = await ending(left)
      const limits: unknown[] = []
      misbehaviour.write = (writes: readonly WorkspaceWrite[]) => {
        limits.push(...writes.map(({ ifAddedAtMost, adds }) => [ifAddedAtMost, adds]))
        return stored.write(writes)
      }
      if (how === 'rotated') await keys.rotateKey(action(key.id))
      else await keys.updateKey({ ...action(key.id), version: 1, change: { expiresAt: later } })
      expect(limits, how).toEqual([[most, 1]])
    }
  })

  test('is renamed, paused and revoked as ever', async () => {
    const { keys, key } = await ending(1)
    await keys.updateKey({ ...action(key.id), version: 1, change: { name: 'ERP' } })
    await keys.pauseKey(action(key.id))
    expect(await keys.revokeKey(action(key.id))).toMatchObject({ name: 'ERP', status: 'revoked' })
  })
})

test('an overlap is stored only while no other process can have filled the room for it', async () => {
  const { keys, misbehaviour, stored } = openWorld()
  const { key } = await keys.createKey(keyInput())
  const written: WorkspaceWrite[] = []
  misbehaviour.write = (writes: readonly WorkspaceWrite[]) => {
    written.push(...writes)
    return stored.write(writes)
  }
  await keys.rotateKey({ ...action(key.id), overlapSeconds: 60 })
  // The plan has room for 5; this is the first, and one key had been added before.
  expect(written).toMatchObject([{ adds: 2, ifAddedAtMost: 5 }])
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
