import { setTimeout as pause } from 'node:timers/promises'
import { revokedBy, updatedBy } from '../../../adapters/storage/testing/contract-case.ts'
import {
  sampleCreatedEvent,
  sampleRecord,
  sampleRevokeChange,
  sampleUpdateChange,
} from '../../../adapters/storage/testing/storage-contract.ts'
import type { KeyRecord, KeyStorage } from '../../../src/storage/index.ts'
import { playRounds, sumOf } from './rounds.ts'
import { playScenario, type Report, type Stage } from './scenario.ts'
import type { TrafficReport } from './worker-tasks.ts'

/** What stops a key. */
export type Stop = 'revoke' | 'pause'

/**
 * A revocation or a pause in the middle of traffic from other processes, round after round. Once it
 * has answered, no process may see the key alive, whatever flush of uses is still on its way; and only
 * the uses and the state of the key have changed.
 */
export function revokeRace(
  modulePath: string,
  { workers = 2, rounds = 100, by = 'revoke' as Stop } = {},
): Promise<Report> {
  return playScenario({ scenario: `${by} race`, modulePath, workers }, async (stage) => {
    const sums = await playRounds({ rounds }, (round) => playRound(stage, round, by))
    return { rounds, workers, ...sums }
  })
}

async function playRound(stage: Stage, round: number, by: Stop): Promise<TrafficReport> {
  const { storage, workers } = stage
  const record = sampleRecord({ workspaceId: `ws_revoke_${round % 100}` })
  await storage.insert(record, null, sampleCreatedEvent(record))
  const { hash, id } = record
  await Promise.all(workers.map((worker) => worker.call('beginTraffic', { hash, id })))
  // Some rounds stop it at once, some in full traffic.
  if (round % 4 !== 0) await pause(Math.random() * 3)
  const { outcome, stopped } = await STOPS[by](storage, record)
  const reports = await Promise.all(workers.map((worker) => worker.call('endTraffic', undefined)))
  stage.expectEqual(outcome, by === 'revoke' ? 'revoked' : 'updated', `round ${round}: the outcome`)
  const total = sumOf(reports)
  if (total.staleAccepts > 0) stage.fail(`round ${round}: alive after it was stopped`)
  if (total.revivals > 0) stage.fail(`round ${round}: dead and alive again`)
  await expectStopped(stage, stopped, total.uses, round)
  return total
}

type Stopped = { readonly outcome: string; readonly stopped: KeyRecord }

const STOPS: Readonly<Record<Stop, (storage: KeyStorage, record: KeyRecord) => Promise<Stopped>>> =
  {
    async revoke(storage, record) {
      const change = sampleRevokeChange(record)
      const { outcome } = await storage.revoke(change)
      return { outcome, stopped: revokedBy(record, change) }
    },
    async pause(storage, record) {
      const pausedBy = { id: 'u_pause', name: 'Sami' }
      const change = sampleUpdateChange(record, { pausedAtMs: Date.now(), pausedBy })
      const { outcome } = await storage.update(change)
      return { outcome, stopped: updatedBy(record, change) }
    },
  }

async function expectStopped(
  stage: Stage,
  expected: KeyRecord,
  uses: number,
  round: number,
): Promise<void> {
  const byHash = await stage.storage.findByHash(expected.hash)
  stage.expectEqual(byHash, expected, `round ${round}: the key by its hash`)
  const byId = await stage.storage.findById(expected.workspaceId, expected.id)
  const { lastUsedAtMs, ...fields } = byId ?? { lastUsedAtMs: null }
  stage.expectEqual(fields, { ...expected, uses }, `round ${round}: the key`)
  if (lastUsedAtMs === null) stage.fail(`round ${round}: the last use is lost`)
}
