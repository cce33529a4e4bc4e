import { expect, test } from 'vitest'
import type { WorkspaceWrite } from '../../../src/storage/index.ts'
import {
  codeOf,
  DAY_MS,
  eventsOf,
  later,
  meanwhile,
  worldWithKey,
} from '../../support/lifecycle/world.ts'
import { action, refusal } from '../../support/world.ts'

type Opened = Awaited<ReturnType<typeof worldWithKey>>

/** How a change ends if another process makes one after the decision. */
test.each<[string, (opened: Opened) => unknown, (opened: Opened) => Promise<unknown>, object]>([
  [
    'an update is stale after a pause',
    ({ keys, one }) => keys.pauseKey(one),
    ({ update }) => refusal(update({ name: 'ERP' })),
    { code: 'stale', key: { status: 'paused' } },
  ],
  [
    'a pause keeps what an update has changed',
    ({ update }) => update({ name: 'ERP' }),
    ({ keys, one }) => keys.pauseKey(one),
    { name: 'ERP', status: 'paused' },
  ],
  [
    'a rotation is refused after a revocation',
    ({ keys, one }) => keys.revokeKey(one),
    ({ keys, one }) => refusal(keys.rotateKey(one)),
    { code: 'key_revoked' },
  ],
  [
    'a pause finds no key after an erasure',
    ({ keys }) => keys.eraseWorkspace({ workspaceId: 'ws_1' }),
    ({ keys, one }) => refusal(keys.pauseKey(one)),
    { code: 'key_not_found' },
  ],
])('%s', async (_, others, own, expected) => {
  const opened = await worldWithKey()
  const { one } = opened
  meanwhile(opened.world, (keys) => {
    const update = (change: object) => keys.updateKey({ ...one, version: 1, change })
    return others({ ...opened, keys, update })
  })
  expect(await own(opened)).toMatchObject(expected)
})

test('a revocation finds the key revoked, and writes no second event', async () => {
  const { world, keys, one } = await worldWithKey()
  meanwhile(world, (others) => others.revokeKey(one))
  expect(await keys.revokeKey(one)).toMatchObject({ status: 'revoked' })
  expect(await eventsOf(world)).toEqual(['created', 'revoked'])
})

/** A key that has so many seconds left, and the limits of its record. */
async function ending(secondsLeft: number) {
  const opened = await worldWithKey({ expiresAt: later(DAY_MS) })
  const { world, keys, one, update } = opened
  world.nowMs += DAY_MS - secondsLeft * 1_000
  const limits: unknown[] = []
  world.misbehaviour.write = (writes: readonly WorkspaceWrite[]) => {
    limits.push(...writes.map(({ ifAddedAtMost, adds }) => [ifAddedAtMost, adds]))
    return world.stored.write(writes)
  }
  const acts = {
    extend: () => update({ expiresAt: later(2 * DAY_MS) }),
    rotate: () => keys.rotateKey(one),
  }
  return { ...opened, limits, acts }
}

test.each([
  // Another process may count a key in its last ten seconds as expired.
  [9.999, 'key_expired', []],
  [10, null, [[1, 1]]],
  // And in the last minute before this change is visible to it: then the workspace may have no further key.
  [59.999, null, [[1, 1]]],
  [60, null, [[null, 1]]],
])('with %s s left a key is extended and rotated so: %s, %j', async (left, code, written) => {
  for (const act of ['extend', 'rotate'] as const) {
    const { acts, limits } = await ending(left)
    if (code === null) await acts[act]()
    else expect(await codeOf(acts[act]())).toBe(code)
    expect(limits, act).toEqual(written)
  }
})

test('a key in its last second is renamed, paused and revoked as ever', async () => {
  const { keys, one, update } = await ending(1)
  await update({ name: 'ERP' })
  await keys.pauseKey(one)
  expect(await keys.revokeKey(one)).toMatchObject({ name: 'ERP', status: 'revoked' })
})

test('an overlap is stored only while no other process can have filled the room for it', async () => {
  const { keys, key, limits } = await ending(DAY_MS / 1_000)
  await keys.rotateKey({ ...action(key.id), overlapSeconds: 60 })
  // The plan has room for 5; this is the first, and one key had been added before.
  expect(limits).toEqual([[5, 2]])
})
