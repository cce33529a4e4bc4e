import {
  sampleCreatedEvent,
  sampleRecord,
} from '../../../adapters/storage/testing/storage-contract.ts'
import type { KeyRecord } from '../../../src/storage/index.ts'
import { playRounds } from './rounds.ts'
import { playScenario, type Report, type Stage, stateOf } from './scenario.ts'
import type { Attempt } from './worker-tasks.ts'

/** What processes do to a key at the same moment as others update it. */
export const RIVALS = ['update', 'revoke', 'rotate', 'addUses'] as const
export type Rival = (typeof RIVALS)[number]

/** How many rounds are played at the same time, each on a key of its own. */
const LANES = 4

/**
 * Updates of one key at one version from half of the processes, and something else from the others,
 * round after round. One of the changes that name the version wins, and nothing of a loser is stored.
 */
export function updateRace(
  modulePath: string,
  { rival, workers = 4, rounds = 200 }: { rival: Rival; workers?: number; rounds?: number },
): Promise<Report> {
  const scenario = `update against ${rival}`
  return playScenario({ scenario, modulePath, workers }, async (stage) => {
    const { updatesWon } = await playRounds({ rounds, lanes: LANES }, async (round) => ({
      updatesWon: (await playRound(stage, rival, round)) ? 1 : 0,
    }))
    return { rounds, workers, updatesWon, updatesLost: rounds - updatesWon }
  })
}

/** Answers whether an update has won. */
async function playRound(stage: Stage, rival: Rival, round: number): Promise<boolean> {
  const record = sampleRecord({ workspaceId: `ws_update_${round}` })
  await stage.storage.insert(record, null, sampleCreatedEvent(record))
  const attempts = await Promise.all(
    stage.workers.map((worker, index) =>
      worker.call('attempt', { record, kind: index % 2 === 0 ? 'update' : rival }),
    ),
  )
  await checkRound(stage, { record, rival, attempts, what: `round ${round}` })
  return attempts.some(({ kind, outcome }) => kind === 'update' && outcome === 'updated')
}

interface Round {
  readonly record: KeyRecord
  readonly rival: Rival
  readonly attempts: readonly Attempt[]
  readonly what: string
}

async function checkRound(stage: Stage, { record, rival, attempts, what }: Round): Promise<void> {
  const of = (outcome: string) => attempts.filter((attempt) => attempt.outcome === outcome)
  const [updated, rotated, revoked] = [of('updated'), of('rotated'), of('revoked')]
  const most = rival === 'revoke' ? updated.length <= 1 && revoked.length === 1 : true
  if (!most) stage.fail(`${what}: ${updated.length} updates and ${revoked.length} revocations won`)
  const winners = updated.length + rotated.length
  if (rival !== 'revoke') stage.expectEqual(winners, 1, `${what}: winners`)
  const { records, events } = await stateOf(stage.storage, record.workspaceId)
  const key = records.find(({ id }) => id === record.id)
  const [winner] = updated
  stage.expectEqual(key?.name, winner?.name ?? record.name, `${what}: the name`)
  const changes = winners + revoked.length
  stage.expectEqual(key?.version, record.version + changes, `${what}: the version`)
  stage.expectEqual(key?.uses, of('counted').length, `${what}: the uses`)
  const types = events.filter(({ keyId }) => keyId === record.id).map(({ type }) => type)
  const expected = [
    'api_key.created',
    ...updated.map(() => 'api_key.updated'),
    ...rotated.map(() => 'api_key.rotated'),
    ...revoked.map(() => 'api_key.revoked'),
  ]
  stage.expectEqual(types, expected, `${what}: the events`)
  const successors = records.filter(({ replaces }) => replaces === record.id)
  stage.expectEqual(successors.length, rotated.length, `${what}: successors`)
}
