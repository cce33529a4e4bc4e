import type {
  ChangeLog,
  LoggedChange,
  NodeRegistration,
  Renewal,
  RenewalRequest,
  StorageCall,
} from '../../../../src/storage/index.ts'
import { laggingNodeFrom, loggedChangeFrom, nodeCountFrom } from '../change-log.ts'
import { integerIn, rowFrom, textIn } from '../row.ts'
import { headOf, KEPT_ENTRIES, type LogStatements, logPlan } from './log.ts'
import { rowsOf, type Work } from './work.ts'

/** Behind a burst of other changes, the lease of the process would run out. */
const AT_ONCE = { lane: null }
const CACHE = { lane: 'cache' } as const

/** How a database runs the work of a log; without a lane, a change does not wait for its turn. */
interface LogRunner {
  readonly read: <T>(work: () => Work<T>, call: StorageCall | undefined) => Promise<T>
  readonly change: <T>(
    work: () => Work<T>,
    call: StorageCall | undefined,
    of: { readonly lane: 'cache' | null },
  ) => Promise<T>
}

/**
 * The log of changes of a database without notifications: a process looks at the head of the log in one
 * indexed read, every `pollMs`, and renews when it has moved.
 */
export function changeLogOn(
  { read, change }: LogRunner,
  sql: LogStatements,
  pollMs: number,
): ChangeLog {
  const rows = (query: unknown, call: StorageCall | undefined) =>
    read(function* () {
      return rowsOf(yield query)
    }, call)
  const run = (queries: readonly unknown[], call: StorageCall | undefined) =>
    change(() => each(queries), call, CACHE)
  return {
    register: (registration, call) => change(() => register(sql, registration), call, AT_ONCE),
    renew: (request, call) => change(() => renew(sql, request), call, AT_ONCE),
    laggingNodes: async (sequence, call) =>
      (await rows(sql.lagging.all(sequence), call)).map(laggingNodeFrom),
    countNodes: async (call) => nodeCountFrom((await rows(sql.count.all(), call))[0]),
    recentHashes: async (limit, call) =>
      (await rows(sql.recent.all(2 * limit, limit), call)).map((row) =>
        textIn(rowFrom(row), 'hash'),
      ),
    evict: (nodes, sequence, call) =>
      run(
        nodes.map(({ node, renewal }) => sql.evict.run(node, renewal, sequence)),
        call,
      ),
    leave: (node, call) => run([sql.leave.run(node)], call),
    changePlan: (workspaceId, call) => change(() => logPlan(sql, workspaceId), call, CACHE),
    listen: (onHint) => {
      const head = async () => (await read(() => headOf(sql), undefined)).head
      return pollEvery(pollMs, head, onHint)
    },
  }
}

function* each(queries: readonly unknown[]): Work<void> {
  for (const query of queries) yield query
}

/** The update waits for changes that have not seen that the log is used. */
function* register(sql: LogStatements, { node, leaseMs }: NodeRegistration): Work<void> {
  yield sql.use.run()
  yield sql.register.run(node, leaseMs)
}

/**
 * After a restore, the first renewal that is carried out finds that the row does not have the one that the
 * node names as answered, and moves `since` past it. So neither this renewal nor a later one acknowledges
 * anything before the node has applied an answer of the restored log.
 */
function* renew(
  sql: LogStatements,
  { node, renewal, answered, applied }: RenewalRequest,
): Work<Renewal> {
  yield sql.renew.run(answered, applied ?? 0, answered, renewal, renewal, node)
  const row = yield sql.since.get(node)
  if (!row) return { outcome: 'evicted' }
  const { head } = yield* headOf(sql)
  return {
    outcome: 'renewed',
    isSameLog: answered >= integerIn(rowFrom(row), 'since'),
    head,
    changes: yield* entriesAfter(sql, applied, head),
  }
}

/** `null` where some are missing: they are deleted, or were while this has read. */
function* entriesAfter(
  sql: LogStatements,
  applied: number | null,
  head: number,
): Work<readonly LoggedChange[] | null> {
  if (applied === null || head - applied > KEPT_ENTRIES) return null
  const entries = rowsOf(yield sql.entries.all(applied, head)).map(loggedChangeFrom)
  return entries.length === Math.max(0, head - applied) ? entries : null
}

/** Calls `onHint` when an answer differs from the one before it. Failures are left to the renewals. */
function pollEvery(ms: number, ask: () => Promise<number>, onHint: () => void): () => void {
  let last: number | null = null
  let isStopped = false
  const look = async () => {
    const now = await ask().catch(() => last)
    if (isStopped) return
    if (now !== last && last !== null) onHint()
    last = now
    schedule()
  }
  const schedule = () => {
    timer = setTimeout(look, ms)
    timer.unref?.()
  }
  let timer: ReturnType<typeof setTimeout>
  schedule()
  return () => {
    isStopped = true
    clearTimeout(timer)
  }
}
