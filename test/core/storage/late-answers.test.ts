import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { StorageMethod } from '../../../src/storage/index.ts'
import { action, fault, keyInput, openWorld } from '../../support/world.ts'

/* The process stands still while an answer is on its way, for longer than `storageTimeoutMs`. */

let stoodStillMs = 0
beforeEach(() => {
  stoodStillMs = 0
  const now = performance.now.bind(performance)
  vi.spyOn(performance, 'now').mockImplementation(() => now() + stoodStillMs)
})
afterEach(() => void vi.restoreAllMocks())

async function worldWithKey() {
  const world = openWorld({ entitlementsTtlMs: 0 })
  const { key, secret } = await world.keys.createKey(keyInput())
  const late = (verb: StorageMethod) => {
    world.misbehaviour[verb] = async (...args) => {
      const answer = await Reflect.apply(world.stored[verb], world.stored, args)
      stoodStillMs += 60_000
      return answer
    }
  }
  return { world, key, header: `Bearer ${secret}`, late }
}

describe('the answer of a read is out of date', () => {
  test.each([
    ['findByHash', ({ world, header }) => world.keys.authenticate(header, null)],
    ['read', ({ world, key }) => world.keys.getKey({ workspaceId: 'ws_1', id: key.id })],
    ['list', ({ world }) => world.keys.listKeys({ workspaceId: 'ws_1' })],
    ['events', ({ world }) => world.keys.listEvents({ workspaceId: 'ws_1' })],
  ] as readonly [
    StorageMethod,
    (it: Awaited<ReturnType<typeof worldWithKey>>) => Promise<unknown>,
  ][])('%s', async (verb, work) => {
    const it = await worldWithKey()
    it.late(verb)
    expect(await fault(work(it))).toMatchObject({
      operation: verb,
      cause: new Error('no answer in 5000 ms'),
    })
  })
})

describe('the answer of a change says how it ended', () => {
  test('createKey, rotateKey and revokeKey', async () => {
    const { world, key, late } = await worldWithKey()
    late('write')
    expect((await world.keys.createKey(keyInput())).secret).toMatch(/^svc_live_/)
    const { key: next } = await world.keys.rotateKey(action(key.id))
    expect(await world.keys.revokeKey(action(next.id))).toMatchObject({ status: 'revoked' })
  })

  test('counted uses are not counted again', async () => {
    const { world, key, header, late } = await worldWithKey()
    late('addUses')
    await world.keys.authenticate(header, null)
    for (const _ of [1, 2]) await world.keys.flush()
    expect((await world.keys.getKey({ workspaceId: 'ws_1', id: key.id })).uses).toBe(1)
  })
})
