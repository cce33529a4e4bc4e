import { setTimeout as pause } from 'node:timers/promises'
import type { ApiKeys } from '../../../src/index.ts'
import { ADMIN, newKey, nodesOn } from './keys.ts'
import { type Stage, stateOf } from './stage.ts'
import { type Calls, sumOf } from './tasks.ts'

/** How many calls all processes make together. */
const CALLS = 200

/** Processes use a new and empty place at the same moment, each for the first time. */
export async function openRace(stage: Stage) {
  const { length } = stage.workers
  const done = await onAll(stage, { method: 'createKey', input: newKey('ws_open') }, 1)
  const { keys, events } = await stateOf(stage.storage, 'ws_open')
  stage.expectEqual([done, keys.length, events.length], [length, length, length], 'keys and events')
  return { processes: length }
}

/** Creations from all processes: exactly the limit is reached. */
export async function limitRace(stage: Stage) {
  for (let round = 0; round < stage.rounds; round += 1) {
    // Room for a few, for one and for many.
    const limit = [5, 1, 40][round % 3] ?? 5
    const workspaceId = `ws_limit_${round}_max${limit}`
    const done = await onAll(stage, { method: 'createKey', input: newKey(workspaceId) })
    const { keys, events } = await stateOf(stage.storage, workspaceId)
    const found = [done, keys.length, events.length]
    stage.expectEqual(found, [limit, limit, limit], `round ${round}: answered, keys, events`)
  }
  return { rounds: stage.rounds, creations: stage.rounds * CALLS }
}

/** Updates of one key at one version and then rotations of it from all processes: one of each wins. */
export async function rotateRace(stage: Stage) {
  const [keys] = nodesOn(stage.storage)
  for (let round = 0; round < stage.rounds; round += 1) {
    const workspaceId = `ws_rotate_${round}_max5`
    const { key } = await keys.createKey(newKey(workspaceId))
    const action = { workspaceId, id: key.id, actor: ADMIN }
    const update = { ...action, version: 1, change: { name: 'Renamed' } }
    const rotation = { ...action, overlapSeconds: round % 2 === 0 ? 0 : 60 }
    const updated = await onAll(stage, { method: 'updateKey', input: update })
    const rotated = await onAll(stage, { method: 'rotateKey', input: rotation })
    const state = await stateOf(stage.storage, workspaceId)
    const successors = state.keys.filter(({ record }) => record.replaces === key.id).length
    const types = state.events.map(({ type }) => type)
    stage.expectEqual(
      [updated, rotated, state.keys.length, successors, types],
      [1, 1, 2, 1, ['api_key.created', 'api_key.updated', 'api_key.rotated']],
      `round ${round}: updates and rotations that won, keys, successors, events`,
    )
  }
  return { rounds: stage.rounds, rotations: stage.rounds * CALLS }
}

/** Calls by each process at the same moment; how many were done. */
async function onAll({ workers }: Stage, calls: Omit<Calls, 'times'>, each?: number) {
  const times = each ?? Math.ceil(CALLS / workers.length)
  const done = await Promise.all(workers.map((worker) => worker.call('call', { ...calls, times })))
  return done.reduce((sum, count) => sum + count, 0)
}

type Action = Parameters<ApiKeys['pauseKey']>[0]

/** What takes a key from the calls of the traffic. */
const STOPS = {
  revoke: (keys: ApiKeys, action: Action) => keys.revokeKey(action),
  pause: (keys: ApiKeys, action: Action) => keys.pauseKey(action),
  narrow: (keys: ApiKeys, action: Action) =>
    keys.updateKey({ ...action, version: 1, change: { resources: { project: ['p_1'] } } }),
} as const

/**
 * A key is revoked, paused or narrowed in the middle of traffic from other processes, with the cache and
 * without it. Once the change has answered, no process accepts what it took away, and every use is counted.
 */
export async function revokeRace(stage: Stage) {
  const { storage, workers } = stage
  const nodes = nodesOn(storage)
  let accepted = 0
  for (let round = 0; round < stage.rounds; round += 1) {
    const keys = nodes[round % nodes.length] as ApiKeys
    const [what, stop] = Object.entries(STOPS)[round % 3] ?? ['revoke', STOPS.revoke]
    const workspaceId = `ws_revoke_${round}`
    const full = { ...newKey(workspaceId), resources: { project: ['p_1', 'p_2'] } }
    const { key, secret } = await keys.createKey(full)
    await Promise.all(workers.map((worker) => worker.call('beginTraffic', { secret })))
    // Some rounds stop it at once, some in full traffic.
    if (round % 4 !== 0) await pause(Math.random() * 5)
    await stop(keys, { workspaceId, id: key.id, actor: ADMIN })
    const sum = sumOf(
      await Promise.all(workers.map((worker) => worker.call('endTraffic', { secret }))),
    )
    if (sum.late > 0) stage.fail(`round ${round}, ${what}: accepted after it was stopped`)
    if (sum.revived > 0) stage.fail(`round ${round}, ${what}: refused and accepted again`)
    const state = await stateOf(storage, workspaceId)
    const found = [state.keys[0]?.usage.uses, state.events.length]
    stage.expectEqual(found, [sum.accepted, 2], `round ${round}, ${what}: the uses, the events`)
    accepted += sum.accepted
  }
  await Promise.all(nodes.map((node) => node.close()))
  return { rounds: stage.rounds, accepted }
}
