import { setTimeout as pause } from 'node:timers/promises'
import {
  sampleCreatedEvent,
  sampleRecord,
  sampleRevokeChange,
} from '../../../adapters/storage/testing/storage-contract.ts'
import type { KeyRecord } from '../../../src/storage/index.ts'
import { playScenario, type Report, type Stage } from './scenario.ts'
import type { TrafficReport } from './worker-tasks.ts'

/**
 * A revocation in the middle of traffic from other processes, round after round. Once it has
 * answered, no process may see the key alive, whatever flush of uses is still on its way; and only
 * the uses and the instants of the key have changed.
 */
export function revokeRace(
  modulePath: string,
  { workers = 2, rounds = 100 } = {},
): Promise<Report> {
  return playScenario({ scenario: 'revoke race', modulePath, workers }, async (stage) => {
    const sums = { rounds, workers, lookups: 0, uses: 0, staleAccepts: 0, revivals: 0 }
    for (let round = 0; round < rounds; round += 1) {
      const { lookups, uses, staleAccepts, revivals } = await playRound(stage, round)
      sums.lookups += lookups
      sums.uses += uses
      sums.staleAccepts += staleAccepts
      sums.revivals += revivals
    }
    return sums
  })
}

async function playRound(stage: Stage, round: number): Promise<TrafficReport> {
  const { storage, workers } = stage
  const record = sampleRecord({ workspaceId: `ws_revoke_${round % 100}` })
  await storage.insert(record, null, sampleCreatedEvent(record))
  const { hash, id } = record
  await Promise.all(workers.map((worker) => worker.call('beginTraffic', { hash, id })))
  // Some rounds revoke at once, some in full traffic.
  if (round % 4 !== 0) await pause(Math.random() * 3)
  const change = sampleRevokeChange(record)
  const { outcome } = await storage.revoke(change)
  const reports = await Promise.all(workers.map((worker) => worker.call('endTraffic', undefined)))
  stage.expectEqual(outcome, 'revoked', `round ${round}: the outcome`)
  const total = sum(reports)
  if (total.staleAccepts > 0) stage.fail(`round ${round}: alive after the revocation had answered`)
  if (total.revivals > 0) stage.fail(`round ${round}: dead and alive again`)
  const { revokedAtMs } = change
  const version = record.version + 1
  const revoked = { ...record, version, revokedAtMs, updatedAtMs: revokedAtMs }
  await expectRevoked(stage, revoked, total.uses, round)
  return total
}

async function expectRevoked(
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

function sum(reports: readonly TrafficReport[]): TrafficReport {
  const total = (field: keyof TrafficReport) =>
    reports.reduce((before, report) => before + report[field], 0)
  return {
    uses: total('uses'),
    revivals: total('revivals'),
    staleAccepts: total('staleAccepts'),
    lookups: total('lookups'),
  }
}
