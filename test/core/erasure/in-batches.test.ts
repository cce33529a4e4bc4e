import { expect, test } from 'vitest'
import { BATCH } from '../../../src/erasure/in-batches.ts'
import type { WorkspaceErasure } from '../../../src/storage/index.ts'
import { keyInput, openWorld, WORKSPACE } from '../../support/world.ts'

test('each step of an erasure has a turn of the event loop of its own', async () => {
  const world = openWorld()
  world.plan = { publicApi: true, activeKeyLimit: null }
  for (let n = 0; n < 2 * BATCH + 1; n += 1) await world.keys.createKey(keyInput())
  let turn = 0
  const turnsAt: number[] = []
  world.misbehaviour.eraseWorkspace = (erasure: WorkspaceErasure) => {
    turnsAt.push(turn)
    setTimeout(() => {
      turn += 1
    }, 0)
    return world.stored.eraseWorkspace(erasure)
  }
  const outcome = await world.keys.eraseWorkspace({ workspaceId: WORKSPACE })
  expect(outcome).toEqual({ keys: 2 * BATCH + 1, events: 0 })
  expect(turnsAt).toEqual([0, 1, 2])
})
