import type { StorageCall } from '../../../../src/storage/index.ts'
import { changeQueueOf } from '../change-queue.ts'
import { deadlineOf } from '../deadline.ts'
import { rowFrom } from '../row.ts'
import type { SqlStatements } from '../sql/statements.ts'
import type { ChangeOf } from '../sql/storage.ts'
import { changesOf, type Work } from '../sql/work.ts'
import { stopwatch } from '../stopwatch.ts'
import { type Connection, type MysqlPool, type OnConnection, onConnection } from './driver.ts'
import { isUndone, notPrimary } from './errors.ts'
import { type Head, logKeys, Touched } from './log.ts'
import { Progress } from './progress.ts'
import { Query } from './query.ts'
import type { Readiness } from './readiness.ts'
import type { Server } from './server.ts'
import { STATEMENTS } from './statements.ts'
import { isWritable, lockOf } from './writable.ts'

type Call = StorageCall | undefined
type Read = <T>(work: (sql: SqlStatements) => Work<T>, call: Call) => Promise<T>

/** What a change concerns; without a lane it does not wait for its turn. */
type Of = ChangeOf | { readonly lane: 'cache' | null }

/** Runs work through a pool, and again where that is safe. */
export interface MysqlRunner {
  readonly read: Read
  readonly together: Read
  readonly change: <T>(
    work: (sql: SqlStatements, waitedMs: number) => Work<T>,
    call: Call,
    of: Of,
  ) => Promise<T>
  /** Runs a read on a connection; `progress` ends with the call. */
  readonly onReader: <T>(work: OnServer<T>, progress: Progress) => Promise<T>
}

type OnServer<T> = (connection: Connection, server: Server) => Promise<T>

/** A change that is under way. */
interface Change<T> {
  readonly work: (sql: SqlStatements, waitedMs: number) => Work<T>
  readonly of: Of
  readonly waited: () => number
  readonly progress: Progress
  readonly log: LogUse
}

/** Whether a node has ever registered, as far as this process has seen. */
interface LogUse {
  isUsed: boolean
}

export function runnerOn(pool: MysqlPool, readiness: Readiness): MysqlRunner {
  const queue = changeQueueOf(pool)
  const log: LogUse = { isUsed: false }
  const onServer = async <T>(work: OnServer<T>, progress: Progress) => {
    const server = await readiness.ensure(progress.deadline)
    const on: OnConnection<T> = (connection) => work(connection, server)
    return onConnection(pool, progress.deadline, on)
  }
  const onReader = <T>(work: OnServer<T>, progress: Progress) =>
    queue.runRead(() => progress.run(() => onServer(work, progress)))
  return {
    onReader,
    read: (work, call) =>
      onReader(
        (connection, server) => readOn(connection, server, work),
        new Progress(deadlineOf(call)),
      ),
    together: (work, call) =>
      onReader(
        (connection, server) => snapshotOn(connection, server, work),
        new Progress(deadlineOf(call)),
      ),
    change: (work, call, of) => {
      const deadline = deadlineOf(call)
      const progress = new Progress(deadline)
      const change = { work, of, waited: stopwatch(), progress, log }
      const attempt = () => onServer((...on) => changeOn(...on, change), progress)
      const late = () => progress.timedOut(new Error('too many changes were waiting'))
      const lane = 'workspaceId' in of ? `workspace ${of.workspaceId}` : of.lane
      if (lane === null) return progress.run(attempt)
      const turn = { lane, latestMs: progress.latestMs, signal: deadline.signal, late }
      return progress.run(() => queue.run(turn, attempt))
    },
  }
}

/** Reads on what is committed, also elsewhere in a cluster. */
async function readOn<T>(
  connection: Connection,
  { causal, readsUncommitted }: Server,
  work: (sql: SqlStatements) => Work<T>,
): Promise<T> {
  await checkPrimary(connection, causal)
  return complete(work(STATEMENTS), async (query) => {
    if (readsUncommitted) await connection.run(READ_COMMITTED)
    return connection.ask(query, causal)
  })
}

/** The level of the next transaction alone, whatever that of the session is. */
export const READ_COMMITTED = 'SET TRANSACTION ISOLATION LEVEL READ COMMITTED'

/** Several reads on one snapshot. */
async function snapshotOn<T>(
  connection: Connection,
  { causal }: Server,
  work: (sql: SqlStatements) => Work<T>,
): Promise<T> {
  await checkPrimary(connection, causal)
  await connection.run('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ')
  await connection.run('START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY')
  const outcome = await complete(work(STATEMENTS), (query) => connection.ask(query))
  await connection.run('COMMIT')
  return outcome
}

/** A transaction that makes a change: whatever fails, it ends, and is never gone on with. */
async function changeOn<T>(
  connection: Connection,
  { readsUncommitted, causal }: Server,
  { work, of, waited, progress, log }: Change<T>,
): Promise<T> {
  const isOfWorkspace = 'workspaceId' in of
  if (!isOfWorkspace) await checkPrimary(connection, causal)
  if (readsUncommitted) await connection.run(READ_COMMITTED)
  await connection.run('START TRANSACTION')
  if (isOfWorkspace) {
    const isLocked = changesOf(await connection.ask(lockOf(of.workspaceId))) > 0
    if (!isLocked) throw notPrimary()
  }
  const touched: Touched[] = []
  const ask = (query: Query) => connection.ask(query)
  const done = await complete(work(STATEMENTS, waited()), ask, touched)
  const mayTouch = isOfWorkspace || of.lane === 'erasure'
  const outcome = await withSequence(done, mayTouch, async () => {
    const state = await complete(logKeys(touched, log.isUsed || causal !== ''), ask)
    log.isUsed ||= state.isUsed
    return state
  })
  try {
    await connection.run('COMMIT')
  } catch (error) {
    progress.mayHaveRun ||= !isUndone(error)
    throw error
  }
  return outcome
}

/** The outcome with the entry of the log to wait for, if it is one of a change of keys. */
async function withSequence<T>(
  outcome: T,
  mayTouch: boolean,
  log: () => Promise<Head>,
): Promise<T> {
  const isOfKeys =
    mayTouch && typeof outcome === 'object' && outcome !== null && !('inserted' in outcome)
  if (!isOfKeys || Array.isArray(outcome)) return outcome
  const { head, isUsed } = await log()
  return isUsed ? { ...outcome, sequence: head } : outcome
}

async function checkPrimary(connection: Connection, causal = ''): Promise<void> {
  const row = rowFrom(await connection.ask(isWritable, causal))
  if (Number(row['is_writable']) !== 1) throw notPrimary()
}

type Ask = (query: Query) => Promise<unknown>

/** Runs work to its end: each statement that it yields, and work that a statement is made of. */
async function complete<T>(work: Work<T>, ask: Ask, touched: Touched[] = []): Promise<T> {
  let step = work.next()
  while (!step.done) step = work.next(await answerTo(step.value, ask, touched))
  return step.value
}

async function answerTo(step: unknown, ask: Ask, touched: Touched[]): Promise<unknown> {
  if (step instanceof Query) return ask(step)
  if (step instanceof Touched) touched.push(step)
  return isWork(step) ? complete(step, ask, touched) : step
}

function isWork(value: unknown): value is Work<unknown> {
  const { next, [Symbol.iterator]: iterator } = Object(value)
  return typeof next === 'function' && typeof iterator === 'function'
}
