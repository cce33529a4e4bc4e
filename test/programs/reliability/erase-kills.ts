import { setTimeout as pause } from 'node:timers/promises'
import { sampleInsertion, sampleRecord } from '../../../adapters/storage/testing/samples.ts'
import type { KeyRecord } from '../../../src/storage/index.ts'
import { playScenario, type Report, type Stage } from './scenario.ts'
import { startWorker } from './worker-process.ts'

/** More than the library deletes in one step. */
const KEYS = 450
const EXPIRED_AT_MS = Date.UTC(2026, 0, 2)
/** Rounds are added until a kill hits unfinished work, up to this many. */
const MOST_ROUNDS = 40

/**
 * Kills a process that erases a workspace or purges, round after round, while uses of its keys are
 * still flushed. Calling again finishes the work, and nothing comes back.
 */
export function eraseKills(
  modulePath: string,
  { rounds = 10, longestMs = 6 } = {},
): Promise<Report> {
  return playScenario({ scenario: 'erase and kill', modulePath, workers: 1 }, async (stage) => {
    let unfinished = 0
    let round = 0
    for (; round < rounds || (unfinished === 0 && round < MOST_ROUNDS); round += 1) {
      if (await playRound(stage, round, Math.random() * longestMs)) unfinished += 1
    }
    return { rounds: round, unfinished }
  })
}

/** Answers whether the kill left something to do. */
async function playRound(stage: Stage, round: number, ms: number): Promise<boolean> {
  const { storage, module, target } = stage
  const workspaceId = `ws_erase_${round}`
  const doomed = await insertKeys(stage, { workspaceId, expiresAtMs: EXPIRED_AT_MS })
  const kept = await insertKeys(stage, { workspaceId: `${workspaceId}_kept` })
  const isPurge = round % 2 === 1
  // What was written in the last hour is not purged.
  await module.age?.(target)
  const call = isPurge
    ? { method: 'purge' as const, input: { endedBefore: new Date(EXPIRED_AT_MS + 1) } }
    : { method: 'eraseWorkspace' as const, input: { workspaceId } }
  const worker = await startWorker(stage.modulePath, target)
  let isOver = false
  const work = worker
    .call('call', call)
    .catch(() => undefined)
    .finally(() => {
      isOver = true
    })
  const before = await countOf(stage, workspaceId)
  while (!isOver && (await countOf(stage, workspaceId)) === before) await pause(1)
  await pause(ms)
  await worker.kill()
  await work
  const wasCut = (await countOf(stage, workspaceId)) > 0
  const what = `round ${round}: ${call.method}`
  await stage.workers[0]?.call('call', call)
  // A purge passes over what the statement of the killed process is still deleting.
  for (let tries = 0; isPurge && tries < 40; tries += 1) {
    if ((await countOf(stage, workspaceId)) === 0) break
    await pause(50)
    await stage.workers[0]?.call('call', call)
  }
  const uses = doomed.map(({ id }) => ({ id, uses: 1, lastUsedAtMs: 5 }))
  await storage.addUses({ writer: `late_${round}`, sequence: 1, uses })
  if (!isPurge) {
    const late = sampleInsertion(sampleRecord({ workspaceId }))
    stage.expectEqual(await storage.write([late]), [{ outcome: 'refused' }], `${what}: a new key`)
  }
  const found = await Promise.all(doomed.map(({ hash }) => storage.findByHash(hash)))
  stage.expectEqual(found.filter(Boolean).length, 0, `${what}: keys by hash`)
  stage.expectEqual(await countOf(stage, workspaceId), 0, `${what}: what is left`)
  stage.expectEqual(await countOf(stage, `${workspaceId}_kept`), kept.length, `${what}: others`)
  return wasCut
}

async function countOf({ storage }: Stage, workspaceId: string): Promise<number> {
  const query = { status: null, environment: null, atMs: 0, after: null, limit: 1 }
  return (await storage.list(workspaceId, { ...query, countUpTo: 10_000 })).total ?? 0
}

async function insertKeys({ storage }: Stage, fields: Partial<KeyRecord>) {
  const records = Array.from({ length: KEYS }, () => sampleRecord(fields))
  for (let first = 0; first < KEYS; first += 50) {
    const [one, ...others] = records
      .slice(first, first + 50)
      .map((record) => sampleInsertion(record))
    if (one === undefined) continue
    const all = [one, ...others]
    const keys = all.flatMap((write) => write.keys)
    await storage.write([
      { ...one, adds: keys.length, keys, events: all.flatMap((write) => write.events) },
    ])
  }
  return records
}
