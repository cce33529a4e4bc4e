import { setTimeout as pause } from 'node:timers/promises'
import {
  sampleInsertion,
  sampleRecord,
  sampleRotation,
} from '../../../adapters/storage/testing/samples.ts'
import { nextNoticeAt } from '../../../src/storage/index.ts'
import { playScenario, type Report, type Stage, stateOf } from './scenario.ts'
import { startWorker } from './worker-process.ts'

const WORKSPACE = 'ws_notices'
const DAY_MS = 86_400_000
/** How many keys of each kind come before each kill: more than a process writes before it falls. */
const KEYS = 20

/**
 * Two processes write the notices of keys that end, and are killed at it time and again. Each notice
 * is written once.
 */
export function noticeKills(modulePath: string, { kills = 6 } = {}): Promise<Report> {
  return playScenario({ scenario: 'notice kills', modulePath, workers: 0 }, async (stage) => {
    const due = new Map<string, string>()
    let cut = 0
    const lane = async () => {
      for (let kill = 0; kill < kills / 2; kill += 1) {
        await insertEnding(stage, due)
        if (await writeForAWhile(stage)) cut += 1
      }
    }
    await Promise.all([lane(), lane()])
    await writeRest(stage)
    const { events } = await stateOf(stage.storage, WORKSPACE)
    const written = events
      .filter(({ type }) => NOTICES.has(type))
      .map(({ keyId, type }) => `${keyId} ${type}`)
    const expected = [...due].map(([id, type]) => `${id} ${type}`)
    stage.expectEqual(written.toSorted(), expected.toSorted(), 'what was written')
    return { kills, cut, notices: written.length }
  })
}

const NOTICES = new Set(['api_key.expiring', 'api_key.expired', 'api_key.retired'])

/** Inserts keys whose notice is due now, and notes what is to be written of each. */
async function insertEnding({ storage }: Stage, due: Map<string, string>): Promise<void> {
  const nowMs = Date.now()
  const createdAtMs = nowMs - 40 * DAY_MS
  const insert = async (expiresAtMs: number | null) => {
    const made = sampleRecord({ workspaceId: WORKSPACE, createdAtMs, expiresAtMs })
    const record = { ...made, noticeAtMs: nextNoticeAt(made, createdAtMs) }
    await storage.write([sampleInsertion(record)])
    return record
  }
  for (let count = 0; count < KEYS; count += 1) {
    due.set((await insert(nowMs - DAY_MS)).id, 'api_key.expired')
    due.set((await insert(nowMs + DAY_MS / 2)).id, 'api_key.expiring')
    const replaced = await insert(null)
    const replacement = sampleRecord({ workspaceId: WORKSPACE })
    const key = { record: replaced, edition: 1 }
    await storage.write([sampleRotation(key, replacement, nowMs - DAY_MS)])
    due.set(replaced.id, 'api_key.retired')
  }
}

/** Kills a process a moment after notices were written; whether it has left some. */
async function writeForAWhile(stage: Stage): Promise<boolean> {
  const before = await countDue(stage)
  const worker = await startWorker(stage.modulePath, stage.target)
  const gone = worker.call('writeNoticesUntilKilled', {}).catch(() => undefined)
  while (before > 0 && (await countDue(stage)) >= before) await pause(1)
  await pause(Math.random() * 10)
  await worker.kill()
  await gone
  return (await countDue(stage)) > 0
}

/** Has another process write what the killed ones have left. */
async function writeRest(stage: Stage): Promise<void> {
  const worker = await startWorker(stage.modulePath, stage.target)
  const gone = worker.call('writeNoticesUntilKilled', {}).catch(() => undefined)
  const deadline = Date.now() + 60_000
  while ((await countDue(stage)) > 0 && Date.now() < deadline) await pause(20)
  await worker.kill()
  await gone
}

async function countDue({ storage }: Stage): Promise<number> {
  return (await storage.due({ atMs: Date.now(), limit: 10_000 })).length
}
