import { setTimeout as pause } from 'node:timers/promises'
import type { ApiKeys } from '../../../src/index.ts'
import { NARROWED, type NarrowReport, openKeys } from './narrow-tasks.ts'
import { playRounds, sumOf } from './rounds.ts'
import { playScenario, type Report, type Stage } from './scenario.ts'

const FULL = {
  resources: { project: ['p_1', 'p_2'] },
  networks: ['198.51.100.0/24', '203.0.113.0/24'],
}
const CHANGES = {
  resources: { resources: { project: ['p_1'] } },
  networks: { networks: ['203.0.113.0/24'] },
} as const

/**
 * A key loses a resource or a network in the middle of traffic from other processes, with the cache and
 * without it, round after round. Once the update has answered, no process accepts it any more. Half of
 * the keys are retiring by then.
 */
export function narrowRace(
  modulePath: string,
  { workers = 2, rounds = 100, lanes = 8 } = {},
): Promise<Report> {
  return playScenario({ scenario: 'narrow race', modulePath, workers }, async (stage) => {
    const nodes = openKeys(stage.storage)
    const total = await playRounds({ rounds, lanes }, (round) => playRound(stage, nodes, round))
    await Promise.all(nodes.map((keys) => keys.close()))
    return { rounds, workers, nodes: workers * nodes.length, ...total }
  })
}

async function playRound(
  stage: Stage,
  nodes: readonly ApiKeys[],
  round: number,
): Promise<NarrowReport> {
  const keys = nodes[round % nodes.length]
  const narrowed = NARROWED[Math.floor(round / 2) % 2]
  if (keys === undefined || narrowed === undefined) throw new Error('there are nodes')
  const person = { id: 'u_1', name: 'Noura' }
  const workspaceId = `ws_narrow_${round % 100}`
  const fields = narrowed === 'resources' ? { resources: FULL.resources } : FULL
  const { key, secret } = await keys.createKey({
    ...{ workspaceId, creator: person, name: 'CRM', environment: 'live' },
    ...{ scopes: ['contacts.read'], ...fields },
  })
  const action = { workspaceId, id: key.id, actor: person }
  const isRetiring = round % 8 < 4
  if (isRetiring) await keys.rotateKey({ ...action, overlapSeconds: 3_600 })
  const { id } = key
  const { workers } = stage
  await Promise.all(
    workers.map((worker) => worker.call('beginNarrowing', { id, secret, narrowed })),
  )
  // Some rounds narrow it at once, some in full traffic.
  if (round % 4 !== 0) await pause(Math.random() * 5)
  await keys.updateKey({ ...action, version: isRetiring ? 2 : 1, change: CHANGES[narrowed] })
  const reports = workers.map((worker) => worker.call('endNarrowing', { id }))
  const sum = sumOf(await Promise.all(reports))
  if (sum.lateAccepts > 0) stage.fail(`round ${round}: ${narrowed} accepted after they were taken`)
  if (sum.accepted === 0) stage.fail(`round ${round}: there was no traffic before`)
  return sum
}
