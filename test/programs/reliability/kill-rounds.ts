import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { HeldKey } from '../../../src/storage/index.ts'
import { firstAnswerIn } from './frozen-process.ts'
import { applyTo, type Operation, stateAfter, type WorkspaceState } from './operations.ts'
import { playRounds } from './rounds.ts'
import { plain, playScenario, type Report, type Stage, stateOf } from './scenario.ts'
import { GONE } from './task-process.ts'
import { startWorker } from './worker-process.ts'

const EMPTY: WorkspaceState = { keys: [], events: [] }

/** What a killed process has left in its log. */
interface Left {
  /** The workspace after all that was answered, by plain reckoning. */
  readonly answered: WorkspaceState
  /** What had begun and was not answered. */
  readonly open: Operation | null
  readonly operations: number
}

/**
 * Kills a process at a random point of its work, round after round, while others go on. What was
 * answered is there; what was not is there whole, with its event, or not at all; and repeating it,
 * as a caller does that has lost the answer, brings about the whole of it and never twice.
 */
export function killRounds(
  modulePath: string,
  { lanes = 2, rounds = 20, longestMs = 60 } = {},
): Promise<Report> {
  return playScenario({ scenario: 'kill -9', modulePath, workers: 0 }, async (stage) => {
    const folder = await mkdtemp(join(tmpdir(), 'miftah-kills-'))
    const sums = await playRounds({ rounds, lanes }, (round) =>
      playRound(stage, {
        round,
        logPath: join(folder, `${round}.log`),
        ms: Math.random() * longestMs,
      }),
    ).finally(() => rm(folder, { recursive: true }))
    return { rounds, lanes, ...sums }
  })
}

async function playRound(
  stage: Stage,
  { round, logPath, ms }: { round: number; logPath: string; ms: number },
) {
  const workspaceId = `ws_kill_${round}`
  const worker = await startWorker(stage.modulePath, stage.target)
  const work = worker.call('workUntilKilled', { workspaceId, logPath })
  const ended = work.then(
    () => 'it ended by itself',
    (error: Error) => (error.message === GONE ? null : error.message),
  )
  // Kills are to fall into the work.
  await firstAnswerIn(logPath, ended)
  await pause(ms)
  await worker.kill()
  const trouble = await ended
  if (trouble) stage.fail(`round ${round}: ${trouble}`)
  const left = await readLog(logPath)
  const stored = await checkLeft(stage, workspaceId, left)
  return { operations: left.operations, open: left.open ? 1 : 0, stored: stored ? 1 : 0 }
}

/** Answers whether the open operation was found stored. */
async function checkLeft(
  { storage, expectEqual, fail }: Stage,
  workspaceId: string,
  { answered, open }: Left,
): Promise<boolean> {
  const stored = async () => withoutPlaces(await stateOf(storage, workspaceId))
  const found = await stored()
  if (!open) {
    expectEqual(found, answered, workspaceId)
    return false
  }
  const after = plain(stateAfter(answered, open))
  const isStored = isDeepStrictEqual(found, after)
  if (!isStored && !isDeepStrictEqual(found, plain(answered))) {
    fail(`${workspaceId}: neither before nor after the open operation: ${JSON.stringify(found)}`)
  }
  const outcomes = [await applyTo(storage, open), await applyTo(storage, open)]
  const expected = 'batch' in open ? 'counted' : 'refused'
  expectEqual(outcomes[1], expected, `${workspaceId}: what a second repeat answers`)
  if (isStored) expectEqual(outcomes[0], expected, `${workspaceId}: what a repeat answers`)
  expectEqual(await stored(), after, `${workspaceId}: the open operation repeated`)
  return isStored
}

function withoutPlaces({ keys, events }: WorkspaceState): WorkspaceState {
  const bare = (keys as readonly HeldKey[]).map(({ place: _, ...key }) => key)
  return { keys: plain(bare), events }
}

async function readLog(logPath: string): Promise<Left> {
  const lines = (await readFile(logPath, 'utf8')).split('\n')
  let answered = EMPTY
  let open: Operation | null = null
  let operations = 0
  // A line that the kill has cut short has no newline, and its operation has not begun.
  for (const line of lines.slice(0, -1)) {
    const entry: { readonly begun?: Operation } = JSON.parse(line)
    if (entry.begun) open = entry.begun
    else if (open) {
      answered = stateAfter(answered, open)
      open = null
      operations += 1
    }
  }
  return { answered, open, operations }
}
