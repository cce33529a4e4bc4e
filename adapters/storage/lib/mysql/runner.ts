import type { StorageCall } from '../../../../src/storage/index.ts'
import { changeQueueOf } from '../change-queue.ts'
import { type Deadline, deadlineOf } from '../deadline.ts'
import { Progress } from '../progress.ts'
import { rowFrom } from '../row.ts'
import { logKeys, Touched } from '../sql/log.ts'
import type { SqlStatements } from '../sql/statements.ts'
import type { ChangeOf, SqlRunner } from '../sql/storage.ts'
import { changesOf, complete, type Work } from '../sql/work.ts'
import { stopwatch } from '../stopwatch.ts'
import { type Connection, type MysqlPool, onConnection } from './driver.ts'
import { ERRORS, notPrimary } from './errors.ts'
import { LOG_STATEMENTS } from './log-statements.ts'
import type { Readiness } from './readiness.ts'
import type { Server } from './server.ts'
import { STATEMENTS } from './statements.ts'
import { isWritable, lockOf } from './writable.ts'

/** What a change concerns; without a lane it does not wait for its turn. */
type Of = ChangeOf | { readonly lane: 'cache' | null }

/** Runs work through a pool, and again where that is safe. */
export interface MysqlRunner extends Pick<SqlRunner, 'read' | 'together'> {
  readonly change: <T>(work: ChangeWork<T>, call: StorageCall | undefined, of: Of) => Promise<T>
  /** Runs a read on a connection. */
  readonly onReader: <T>(work: OnServer<T>, deadline: Deadline) => Promise<T>
}

type ReadWork<T> = (sql: SqlStatements) => Work<T>
type ChangeWork<T> = (sql: SqlStatements, waitedMs: number) => Work<T>
type OnServer<T> = (connection: Connection, server: Server) => Promise<T>

/** A change that is under way. */
interface Change<T> {
  readonly work: ChangeWork<T>
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
  const onServer = async <T>(work: OnServer<T>, { deadline }: Progress) => {
    const server = await readiness.ensure(deadline)
    return onConnection(pool, deadline, (connection) => work(connection, server))
  }
  const onReader = <T>(work: OnServer<T>, deadline: Deadline) => {
    const progress = new Progress(ERRORS, deadline, false)
    return queue.runRead(() => progress.run(() => onServer(work, progress)))
  }
  return {
    onReader,
    read: (work, call) => onReader((...on) => readOn(...on, work), deadlineOf(call)),
    together: (work, call) => onReader((...on) => snapshotOn(...on, work), deadlineOf(call)),
    change: (work, call, of) => {
      const progress = new Progress(ERRORS, deadlineOf(call), true)
      const change = { work, of, waited: stopwatch(), progress, log }
      const attempt = () => onServer((...on) => changeOn(...on, change), progress)
      const lane = 'workspaceId' in of ? `workspace ${of.workspaceId}` : of.lane
      return progress.run(() =>
        lane === null ? attempt() : queue.run(progress.turnIn(lane), attempt),
      )
    },
  }
}

/** Reads on what is committed, also elsewhere in a cluster. */
async function readOn<T>(
  connection: Connection,
  { causal, readsUncommitted }: Server,
  work: ReadWork<T>,
): Promise<T> {
  await checkPrimary(connection, causal)
  return complete(work(STATEMENTS), async (step) => {
    if (readsUncommitted) await connection.run(READ_COMMITTED)
    return connection.ask(step, causal)
  })
}

/** The level of the next transaction alone, whatever that of the session is. */
export const READ_COMMITTED = 'SET TRANSACTION ISOLATION LEVEL READ COMMITTED'

/** Several reads on one snapshot. */
async function snapshotOn<T>(
  connection: Connection,
  { causal }: Server,
  work: ReadWork<T>,
): Promise<T> {
  await checkPrimary(connection, causal)
  await connection.run('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ')
  await connection.run('START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY')
  const outcome = await complete(work(STATEMENTS), (step) => connection.ask(step))
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
  const ask = (step: unknown) =>
    step instanceof Touched ? touched.push(step) : connection.ask(step)
  const outcome = await complete(work(STATEMENTS, waited()), ask)
  const state = isOfKnownKeys(of, outcome)
    ? await complete(logKeys(LOG_STATEMENTS, touched, log.isUsed || causal !== ''), ask)
    : null
  log.isUsed ||= state?.isUsed === true
  progress.wasSent = true
  await connection.run('COMMIT')
  return state?.isUsed ? { ...(outcome as T & object), sequence: state.head } : outcome
}

/** Whether it is a change of keys that a cache may know, which is named by the log to wait for it. */
function isOfKnownKeys(of: Of, outcome: unknown): boolean {
  return ('workspaceId' in of || of.lane === 'erasure') && !('inserted' in Object(outcome))
}

async function checkPrimary(connection: Connection, causal: string): Promise<void> {
  const row = rowFrom(await connection.ask(isWritable, causal))
  if (Number(row['is_writable']) !== 1) throw notPrimary()
}
