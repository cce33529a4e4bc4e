import { setTimeout as pause } from 'node:timers/promises'
import {
  sampleCreatedEvent,
  sampleRecord,
} from '../../../adapters/storage/testing/storage-contract.ts'
import type { KeyRecord } from '../../../src/storage/index.ts'
import { playScenario, type Report, type Stage } from './scenario.ts'
import { startWorker } from './worker-process.ts'

const KEYS = 12
const EXPIRED_AT_MS = Date.UTC(2026, 0, 2)
/** Rounds are added until a kill hits unfinished work, up to this many. */
const MOST_ROUNDS = 40

/**
 * Kills a process that erases a workspace or purges, round after round, while uses of its keys are
 * still flushed. Calling again finishes the work, and nothing comes back.
 */
export function eraseKills(
  modulePath: string,
  { rounds = 10, longestMs = 30 } = {},
): Promise<Report> {
  return playScenario({ scenario: 'erase and kill', modulePath, workers: 1 }, async (stage) => {
    let unfinished = 0
    let round = 0
    for (; round < rounds || (unfinished === 0 && round < MOST_ROUNDS); round += 1) {
      const verb = round % 2 === 0 ? 'eraseWorkspace' : 'purge'
      const wasCut = await playRound(stage, { round, verb, ms: Math.random() * longestMs })
      if (wasCut) unfinished += 1
    }
    return { rounds: round, unfinished }
  })
}

interface Round {
  readonly round: number
  readonly verb: 'eraseWorkspace' | 'purge'
  readonly ms: number
}

async function playRound(stage: Stage, { round, verb, ms }: Round): Promise<boolean> {
  const { storage } = stage
  const workspaceId = `ws_erase_${round}`
  const doomed = await insertKeys(stage, { workspaceId, expiresAtMs: EXPIRED_AT_MS })
  const kept = await insertKeys(stage, { workspaceId: `${workspaceId}_kept` })
  const worker = await startWorker(stage.modulePath, stage.target)
  const order = { workspaceId, endedBeforeMs: EXPIRED_AT_MS + 1 }
  const work = worker.call(verb, order).then(
    () => false,
    () => true,
  )
  await pause(ms)
  await worker.kill()
  const wasCut = await work
  const [other] = stage.workers
  await other?.call(verb, order)
  const uses = doomed.map(({ id }) => ({ id, uses: 1, lastUsedAtMs: 5 }))
  await storage.addUses({ writer: `late_${round}`, sequence: 1, uses })
  const [first] = doomed
  if (first !== undefined) await storage.insert(first, null, sampleCreatedEvent(first))
  for (const { hash, id } of doomed) {
    stage.expectEqual(await storage.findByHash(hash), null, `round ${round}: ${verb}, by hash`)
    stage.expectEqual(await storage.findById(workspaceId, id), null, `round ${round}: by id`)
  }
  const query = { status: null, environment: null, atMs: 0, after: null, limit: 100 }
  const left = await storage.list(workspaceId, query)
  stage.expectEqual([left?.records, left?.activeKeys], [[], 0], `round ${round}: what is left`)
  const others = await storage.list(`${workspaceId}_kept`, query)
  stage.expectEqual(others?.activeKeys, kept.length, `round ${round}: the other keys`)
  return wasCut
}

async function insertKeys({ storage }: Stage, fields: Partial<KeyRecord>) {
  const records = Array.from({ length: KEYS }, () => sampleRecord(fields))
  for (const record of records) await storage.insert(record, null, sampleCreatedEvent(record))
  return records
}
