import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { HourlyTotal, UsageOutcome } from '../../../src/storage/index.ts'
import { ADMIN, newKey, openKeys } from './keys.ts'
import { playScenario, type Report, type Stage } from './scenario.ts'
import { GONE } from './task-process.ts'
import { startWorker } from './worker-process.ts'

const WORKSPACE = 'ws_usage'
const EVER = { fromHour: 0, toHour: 2 ** 31 - 1 }

/** What becomes of a request with each of the keys. */
const OUTCOMES: readonly UsageOutcome[] = ['accepted', 'revoked']

interface CountedKey {
  readonly id: string
  readonly secret: string
}

/**
 * Processes authenticate with the same keys and are killed at random points, round after round. Of what
 * each has counted, everything that a flush has answered for is stored, and nothing more than it has
 * counted: at most one flush is lost and nothing counts twice. Uses and their history agree exactly.
 */
export function usageKills(
  modulePath: string,
  { workers = 4, rounds = 3, longestMs = 150 } = {},
): Promise<Report> {
  return playScenario({ scenario: 'usage kills', modulePath, workers: 0 }, async (stage) => {
    const folder = await mkdtemp(join(tmpdir(), 'miftah-usage-'))
    const keys = await makeKeys(stage)
    const logs: string[] = []
    try {
      for (let round = 0; round < rounds; round += 1) {
        const paths = Array.from({ length: workers }, (_, at) => join(folder, `${round}-${at}`))
        await Promise.all(paths.map((path) => workForAWhile(stage, { path, keys, longestMs })))
        logs.push(...paths)
        await checkSums(stage, keys, logs)
      }
      const { flushed, counted } = await sumOf(logs)
      const lost = counted - (await storedSum(stage, keys))
      return { rounds, workers, flushed, counted, lost }
    } finally {
      await rm(folder, { recursive: true })
    }
  })
}

/** A key that is accepted, and one that is revoked. */
async function makeKeys({ storage }: Stage): Promise<readonly CountedKey[]> {
  const keys = openKeys(storage)
  const made = await Promise.all(OUTCOMES.map(() => keys.createKey(newKey(WORKSPACE))))
  const id = made[1]?.key.id ?? ''
  await keys.revokeKey({ workspaceId: WORKSPACE, id, actor: ADMIN })
  return made.map(({ key, secret }) => ({ id: key.id, secret }))
}

async function workForAWhile(
  { modulePath, target, fail }: Stage,
  { path, keys, longestMs }: { path: string; keys: readonly CountedKey[]; longestMs: number },
): Promise<void> {
  const worker = await startWorker(modulePath, target)
  const ended = worker
    .call('useUntilKilled', { secrets: keys.map(({ secret }) => secret), logPath: path })
    .then(
      () => 'it ended by itself',
      (error: Error) => (error.message === GONE ? null : error.message),
    )
  while ((await readCounts(path)).flushed === 0) {
    const trouble = await Promise.race([ended, pause(5, null)])
    if (trouble !== null) break
  }
  await pause(Math.random() * longestMs)
  await worker.kill()
  const trouble = await ended
  if (trouble !== null) fail(trouble)
}

async function checkSums(
  stage: Stage,
  keys: readonly CountedKey[],
  logs: readonly string[],
): Promise<void> {
  const stored = await acknowledgedSums(stage, keys)
  for (const [at, outcome] of OUTCOMES.entries()) {
    const counts = await Promise.all(logs.map((path) => readCounts(path)))
    const sum = (kind: 'flushedOf' | 'countedOf') =>
      counts.reduce((total, count) => total + (count[kind][at] ?? 0), 0)
    const { uses, history, others } = stored[at] ?? { uses: 0, history: 0, others: 0 }
    const [least, most] = [sum('flushedOf'), sum('countedOf')]
    if (history < least || history > most) {
      stage.fail(`${outcome}: ${history} stored, ${least} flushed, ${most} counted`)
    }
    stage.expectEqual(uses, outcome === 'accepted' ? history : 0, `${outcome}: the uses`)
    stage.expectEqual(others, 0, `${outcome}: the other outcomes`)
  }
}

interface Sums {
  readonly uses: number
  readonly history: number
  readonly others: number
}

/** Read until two readings agree: a server may still be finishing the batch of a killed client. */
async function acknowledgedSums(
  stage: Stage,
  keys: readonly CountedKey[],
): Promise<readonly Sums[]> {
  let last = await sums(stage, keys)
  for (;;) {
    await pause(50)
    const again = await sums(stage, keys)
    if (JSON.stringify(again) === JSON.stringify(last)) return last
    last = again
  }
}

function sums({ storage }: Stage, keys: readonly CountedKey[]): Promise<readonly Sums[]> {
  return Promise.all(
    keys.map(async ({ id }, at) => {
      const all = (await storage.usage(WORKSPACE, { id, ...EVER })) ?? []
      const own = OUTCOMES[at]
      const uses = (await openKeys(storage).getKey({ workspaceId: WORKSPACE, id })).uses
      const history = totalOf(all, (outcome) => outcome === own)
      return { uses, history, others: totalOf(all, (outcome) => outcome !== own) }
    }),
  )
}

function totalOf(counts: readonly HourlyTotal[], is: (outcome: UsageOutcome) => boolean): number {
  return counts.reduce((sum, { outcome, count }) => sum + (is(outcome) ? count : 0), 0)
}

async function storedSum(stage: Stage, keys: readonly CountedKey[]): Promise<number> {
  return (await acknowledgedSums(stage, keys)).reduce((sum, { history }) => sum + history, 0)
}

async function sumOf(logs: readonly string[]) {
  const counts = await Promise.all(logs.map((path) => readCounts(path)))
  const sum = (kind: 'flushed' | 'counted') => counts.reduce((total, one) => total + one[kind], 0)
  return { flushed: sum('flushed'), counted: sum('counted') }
}

/** What a worker has counted, and how much of it before its last flush; of each key and of all. */
async function readCounts(path: string) {
  const text = await readFile(path, 'utf8').catch(() => '')
  const flushedText = text.slice(0, text.lastIndexOf('F') + 1)
  const countIn = (part: string) => OUTCOMES.map((_, at) => part.split(String(at)).length - 1)
  const [flushedOf, countedOf] = [countIn(flushedText), countIn(text)]
  const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0)
  return { flushedOf, countedOf, flushed: sum(flushedOf), counted: sum(countedOf) }
}
