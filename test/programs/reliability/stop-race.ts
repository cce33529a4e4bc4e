import { setTimeout as pause } from 'node:timers/promises'
import type { ApiKeys } from '../../../src/index.ts'
import { ADMIN, newKey, nodesOn } from './keys.ts'
import { playRounds, sumOf } from './rounds.ts'
import { playScenario, type Report, type Stage, stateOf } from './scenario.ts'
import type { TrafficReport } from './traffic.ts'

type Action = Parameters<ApiKeys['pauseKey']>[0]

/** What stops a key, or the calls of the traffic on it. */
const STOPS = {
  revoke: (keys: ApiKeys, action: Action, _version: number) => keys.revokeKey(action),
  pause: (keys: ApiKeys, action: Action, _version: number) => keys.pauseKey(action),
  resources: (keys: ApiKeys, action: Action, version: number) =>
    keys.updateKey({ ...action, version, change: { resources: { project: ['p_1'] } } }),
  networks: (keys: ApiKeys, action: Action, version: number) =>
    keys.updateKey({ ...action, version, change: { networks: ['203.0.113.0/24'] } }),
} as const

type Stop = keyof typeof STOPS

const FULL = {
  resources: { project: ['p_1', 'p_2'] },
  networks: ['198.51.100.0/24', '203.0.113.0/24'],
}

interface StopOptions {
  readonly workers?: number
  readonly rounds?: number
  readonly lanes?: number
  readonly by?: readonly Stop[]
  /** Whether a process is stopped meanwhile, and goes on when the change has resolved. */
  readonly isFrozen?: boolean
}

/**
 * A key is revoked, paused or narrowed in the middle of traffic from other processes, with the cache and without it,
 * round after round. Once the change has answered, no process accepts what it took away, and every use is counted.
 * Half of the keys are retiring by then, unless they are paused.
 */
export function stopRace(
  modulePath: string,
  { workers = 2, rounds = 100, lanes = 1, by = ['revoke'], isFrozen = false }: StopOptions = {},
): Promise<Report> {
  const scenario = `${by.join(' and ')} race${isFrozen ? ', with one process stopped' : ''}`
  return playScenario({ scenario, modulePath, workers }, async (stage) => {
    const nodes = nodesOn(stage.storage)
    const sums = await playRounds({ rounds, lanes }, (round) => {
      const keys = nodes[round % nodes.length] as ApiKeys
      const stop = by[Math.floor(round / 2) % by.length] as Stop
      return playRound(stage, { keys, stop, round, isFrozen })
    })
    await Promise.all(nodes.map((keys) => keys.close()))
    return { rounds, workers, ...sums }
  })
}

interface Round {
  readonly keys: ApiKeys
  readonly stop: Stop
  readonly round: number
  readonly isFrozen: boolean
}

async function playRound(stage: Stage, { keys, stop, round, isFrozen }: Round) {
  const { workers } = stage
  const workspaceId = `ws_stop_${round}`
  const { key, secret } = await keys.createKey(newKey(workspaceId, FULL))
  const { id } = key
  const action = { workspaceId, id, actor: ADMIN }
  const isRetiring = stop !== 'pause' && round % 8 < 4
  if (isRetiring) await keys.rotateKey({ ...action, overlapSeconds: 3_600 })
  await Promise.all(workers.map((worker) => worker.call('beginTraffic', { id, secret })))
  // Some rounds stop it at once, some in full traffic.
  if (round % 4 !== 0) await pause(Math.random() * 5)
  const frozen = isFrozen ? workers[round % workers.length] : undefined
  frozen?.freeze()
  await STOPS[stop](keys, action, isRetiring ? 2 : 1)
  const reports = workers.map((worker) => worker.call('endTraffic', { id }))
  frozen?.goOn()
  const sum: TrafficReport = sumOf(await Promise.all(reports))
  const what = `round ${round}, ${stop}`
  if (sum.lateAccepts > 0) stage.fail(`${what}: accepted after it was stopped`)
  if (sum.revivals > 0) stage.fail(`${what}: refused and accepted again`)
  if (sum.accepted === 0) stage.fail(`${what}: there was no traffic before`)
  const state = await stateOf(stage.storage, workspaceId)
  const stored = state.keys.find(({ record }) => record.id === id)
  stage.expectEqual(stored?.usage.uses, sum.accepted, `${what}: the uses`)
  stage.expectEqual(state.events.length, isRetiring ? 3 : 2, `${what}: the events`)
  return sum
}
