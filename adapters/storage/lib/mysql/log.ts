import type {
  ChangeLog,
  Lag,
  LaggingNode,
  LoggedChange,
  NodeCount,
  NodeRegistration,
  Renewal,
  RenewalRequest,
} from '../../../../src/storage/index.ts'
import { integerIn, rowFrom } from '../sql/cells.ts'
import { bytesFromHash } from '../sql/hash-bytes.ts'
import { hashIn, laggingNodeFrom, loggedChangeFrom } from '../sql/rows.ts'
import { type SqlValue, sql } from '../sql/sql.ts'
import { each, rowsOf, type Work } from '../sql/work.ts'
import { NOW_MS, tableOf } from './dialect.ts'
import type { Runner } from './runner.ts'

/** How many entries the log keeps at least; old ones are deleted about so many at a time. */
const KEPT_ENTRIES = 1_000
const DELETED_AT_ONCE = 100

/**
 * The log of changes, which every change of keys writes itself. Without notifications, a process reads its head along
 * an index every `pollMs`, and renews its lease when the head has moved.
 */
export function changeLogOn({ read, change }: Runner, pollMs: number): ChangeLog {
  return {
    register: (node, call) => change(() => register(node), call),
    renew: (request, call) => change(() => renew(request), call),
    laggingNodes: (sequence, call) => read(() => laggingNodes(sequence), call),
    countNodes: (call) => read(countNodes, call),
    recentHashes: (limit, call) => read(() => recentHashes(limit), call),
    evict: (nodes, sequence, call) => change(() => evict(nodes, sequence), call),
    leave: (node, call) => change(() => leave(node), call),
    changePlan: (workspaceId, call) => change(() => logPlan(workspaceId), call),
    listen: (onHint) => {
      const head = async () => (await read(headOf, undefined)).head
      return pollEvery(pollMs, head, onHint)
    },
  }
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

function* headOf(): Work<{ readonly head: number; readonly isUsed: boolean }> {
  const [row] = yield* rowsOf(sql`SELECT head, is_used FROM miftah_clock WHERE one = 1`)
  const clock = rowFrom(row)
  return { head: integerIn(clock, 'head'), isUsed: integerIn(clock, 'is_used') === 1 }
}

type Entry = readonly [kind: string, hash: SqlValue, workspaceId: string | null]

/** Logs changed keys, if the log is in use, and answers whether it is. */
export function logKeys(hashes: readonly string[], headBefore: number): Work<boolean> {
  const entries = hashes.map((hash): Entry => ['key', bytesFromHash(hash), null])
  return append(entries, headBefore)
}

export function* logDeleted(hashes: readonly string[]): Work<boolean> {
  const { head, isUsed } = yield* headOf()
  return hashes.length === 0 ? isUsed : yield* logKeys(hashes, head)
}

function* logPlan(workspaceId: string | null): Work<void> {
  const { head } = yield* headOf()
  yield* append([['plan', null, workspaceId]], head)
}

/**
 * The row of the head is written in any case: a node that registers waits for it, also on another server of a
 * cluster, where a shared lock would be none. It comes last, because it is a lock on all other changes until the
 * commit.
 */
function* append(entries: readonly Entry[], headBefore: number): Work<boolean> {
  const count = entries.length
  const numbered = entries.map((entry, at) => [at + 1, ...entry])
  const rows = tableOf(['at', 'kind', 'hash', 'workspace_id'], numbered)
  const [, { changes }] = yield* each(
    sql`UPDATE miftah_clock SET head = head + ${count} WHERE one = 1`,
    sql`INSERT INTO miftah_log (sequence, kind, hash, workspace_id, written_at_ms)
      SELECT c.head - ${count} + n.at, n.kind, n.hash, n.workspace_id, ${NOW_MS}
      FROM miftah_clock AS c CROSS JOIN ${rows} AS n WHERE c.one = 1 AND c.is_used = 1`,
  )
  if (changes > 0 && headBefore % DELETED_AT_ONCE < count) {
    yield [sql`DELETE FROM miftah_log WHERE sequence <= ${headBefore - KEPT_ENTRIES}`]
  }
  return changes > 0
}

/** The update waits for changes that have not seen that the log is in use. */
function* register({ node, leaseMs }: NodeRegistration): Work<void> {
  yield [
    sql`UPDATE miftah_clock SET is_used = 1 WHERE one = 1`,
    sql`INSERT INTO miftah_nodes (node, lease_ms, renewal, since, acknowledged)
      VALUES (${node}, ${leaseMs}, 0, 0, 0) ON DUPLICATE KEY UPDATE node = node`,
  ]
}

/**
 * After a restore, the first renewal that is carried out finds that the row does not
 * have the one that the node names as answered, and moves `since` past it. So neither this renewal nor a
 * later one acknowledges anything before the node has applied an answer of the restored log.
 */
function* renew(request: RenewalRequest): Work<Renewal> {
  const { node, renewal, answered, applied } = request
  // MySQL reads in an assignment what those before it have set, so each column is set after it was read.
  const [, found] = yield* each(
    sql`UPDATE miftah_nodes SET
      acknowledged = CASE WHEN ${answered} BETWEEN since AND renewal
        THEN GREATEST(acknowledged, ${applied ?? 0}) ELSE acknowledged END,
      since = CASE WHEN ${answered} > renewal THEN ${renewal} ELSE since END,
      renewal = GREATEST(renewal, ${renewal})
      WHERE node = ${node}`,
    sql`SELECT since FROM miftah_nodes WHERE node = ${node}`,
  )
  const [row] = found.rows
  if (row === undefined) return { outcome: 'evicted' }
  const { head } = yield* headOf()
  return {
    outcome: 'renewed',
    isSameLog: answered >= integerIn(row, 'since'),
    head,
    changes: yield* entriesAfter(applied, head),
  }
}

/** `null` where some are missing: they are deleted, or were while this has read. */
function* entriesAfter(applied: number | null, head: number): Work<readonly LoggedChange[] | null> {
  if (applied === null || head - applied > KEPT_ENTRIES) return null
  const rows = yield* rowsOf(sql`SELECT sequence, kind, hash, workspace_id
    FROM miftah_log WHERE sequence > ${applied} AND sequence <= ${head} ORDER BY sequence`)
  return rows.length === Math.max(0, head - applied) ? rows.map(loggedChangeFrom) : null
}

function* laggingNodes(sequence: number | null): Work<Lag> {
  const last = sequence === null ? sql`c.head` : sql`${sequence}`
  const rows = yield* rowsOf(sql`SELECT c.head, n.node, n.lease_ms, n.renewal
    FROM miftah_clock AS c LEFT JOIN miftah_nodes AS n ON n.acknowledged < ${last}
    WHERE c.one = 1`)
  const head = sequence ?? integerIn(rowFrom(rows[0]), 'head')
  return { head, nodes: rows.filter(({ node }) => node !== null).map(laggingNodeFrom) }
}

function* countNodes(): Work<NodeCount> {
  const [first] = yield* rowsOf(sql`SELECT COUNT(n.node) AS nodes,
      COALESCE(MAX(c.head) - MIN(n.acknowledged), 0) AS behind
    FROM miftah_clock AS c LEFT JOIN miftah_nodes AS n ON 1 = 1 WHERE c.one = 1`)
  const row = rowFrom(first)
  return { nodes: integerIn(row, 'nodes'), lag: Math.max(0, integerIn(row, 'behind')) }
}

function* evict(nodes: readonly LaggingNode[], sequence: number): Work<void> {
  yield nodes.map(
    ({ node, renewal }) => sql`DELETE FROM miftah_nodes
      WHERE node = ${node} AND renewal = ${renewal} AND acknowledged < ${sequence}`,
  )
}

function* leave(node: string): Work<void> {
  yield [sql`DELETE FROM miftah_nodes WHERE node = ${node}`]
}

/** A key may have been used in the hour before too. */
function* recentHashes(limit: number): Work<readonly string[]> {
  const rows = yield* rowsOf(sql`SELECT k.hash FROM (
      SELECT key_id, hour FROM miftah_hourly_usage WHERE outcome = 0
      ORDER BY hour DESC LIMIT ${2 * limit}) AS r
    CROSS JOIN miftah_keys AS k WHERE k.id = r.key_id AND k.revoked_at_ms IS NULL
    GROUP BY k.hash ORDER BY MAX(r.hour) DESC LIMIT ${limit}`)
  return rows.map((row) => hashIn(row, 'hash'))
}
