import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { StorageMethod } from '../../../src/storage/index.ts'
import { verdict, worldWithKey } from '../../support/lifecycle/world.ts'
import { action, fault, keyInput, WORKSPACE } from '../../support/world.ts'

/* The process stands still while an answer is on its way, for longer than `storageTimeoutMs`. */

let stoodStillMs = 0
beforeEach(() => {
  stoodStillMs = 0
  const now = performance.now.bind(performance)
  vi.spyOn(performance, 'now').mockImplementation(() => now() + stoodStillMs)
})
afterEach(() => void vi.restoreAllMocks())

async function open() {
  const opened = await worldWithKey({}, { entitlementsTtlMs: 0 })
  const { world } = opened
  const late = (verb: StorageMethod) => {
    world.misbehaviour[verb] = async (...args) => {
      const answer = await Reflect.apply(world.stored[verb], world.stored, args)
      stoodStillMs += 60_000
      return answer
    }
  }
  return { ...opened, late }
}

const workspaceId = WORKSPACE

test.each<[StorageMethod, (opened: Awaited<ReturnType<typeof open>>) => Promise<unknown>]>([
  ['findByHash', ({ world, secret }) => verdict(world, secret)],
  ['read', ({ now }) => now()],
  ['list', ({ keys }) => keys.listKeys({ workspaceId })],
  ['events', ({ keys }) => keys.listEvents({ workspaceId })],
])('the answer of a read is out of date: %s', async (operation, work) => {
  const opened = await open()
  opened.late(operation)
  const cause = new Error('no answer in 5000 ms')
  expect(await fault(work(opened))).toMatchObject({ operation, cause })
})

test('the answer of a change says how it ended: createKey, rotateKey and revokeKey', async () => {
  const { keys, one, late } = await open()
  late('write')
  expect((await keys.createKey(keyInput())).secret).toMatch(/^svc_live_/)
  const { key: next } = await keys.rotateKey(one)
  expect(await keys.revokeKey(action(next.id))).toMatchObject({ status: 'revoked' })
})

test('the answer of a change says how it ended: counted uses are not counted again', async () => {
  const { world, keys, secret, now, late } = await open()
  late('addUses')
  await verdict(world, secret)
  for (const _ of [1, 2]) await keys.flush()
  expect((await now()).uses).toBe(1)
})
