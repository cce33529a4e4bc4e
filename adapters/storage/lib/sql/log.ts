import type {
  Lag,
  LaggingNode,
  LoggedChange,
  NodeCount,
  NodeRegistration,
  Renewal,
  RenewalRequest,
} from '../../../../src/storage/index.ts'
import { integerIn, oneOfIn, optionalTextIn, rowFrom, type SqlRow, textIn } from './cells.ts'
import type { Dialect } from './dialect.ts'
import { bytesFromHash } from './hash-bytes.ts'
import { hashIn } from './rows.ts'
import { sql } from './sql.ts'
import { each, rowsOf, type Work } from './work.ts'

/** How many entries the log keeps at least. */
const KEPT_ENTRIES = 1_000

/** Old entries are deleted about so many at a time. */
const DELETED_AT_ONCE = 100

/** The head of the log, and whether a node has ever registered. */
export interface Head {
  readonly head: number
  readonly isUsed: boolean
}

function headIn([row]: readonly SqlRow[]): Head {
  const clock = rowFrom(row)
  return { head: integerIn(clock, 'head'), isUsed: integerIn(clock, 'is_used') === 1 }
}

/** Reads the head. */
export function* headOf(of: Dialect): Work<Head> {
  return headIn(yield* rowsOf(sql`SELECT head, is_used FROM ${of.table('clock')} WHERE one = 1`))
}

/** Reads the head, and lets no node register before the transaction has ended. */
function* sharedHeadOf(of: Dialect): Work<Head> {
  return headIn(
    yield* rowsOf(sql`SELECT head, is_used FROM ${of.table('clock')} WHERE one = 1 ${of.forShare}`),
  )
}

/**
 * Logs changed keys and answers whether the log is in use. It comes last, because the row of the head is a
 * lock on all other changes until the commit.
 */
export function* logHashes(of: Dialect, hashes: readonly string[]): Work<boolean> {
  if (!(yield* sharedHeadOf(of)).isUsed) return false
  if (hashes.length > KEPT_ENTRIES) yield* append(of, [['everything', null, null]])
  else if (hashes.length > 0) {
    yield* append(
      of,
      hashes.map((hash) => ['key', bytesFromHash(hash), null]),
    )
  }
  return true
}

/** See `ChangeLog.changePlan`. */
export function* logPlan(of: Dialect, workspaceId: string | null): Work<void> {
  if ((yield* sharedHeadOf(of)).isUsed) yield* append(of, [['plan', null, workspaceId]])
}

type Entry = readonly [kind: string, hash: Uint8Array | null, workspaceId: string | null]

function* append(of: Dialect, entries: readonly Entry[]): Work<void> {
  yield [sql`UPDATE ${of.table('clock')} SET head = head + ${entries.length} WHERE one = 1`]
  const { head } = yield* headOf(of)
  const log = of.table('log')
  const isFull = head % DELETED_AT_ONCE < entries.length
  yield [
    ...entries.map(
      ([kind, hash, workspaceId], at) => sql`INSERT INTO ${log}
        (sequence, kind, hash, workspace_id, written_at_ms)
        VALUES (${head - entries.length + 1 + at}, ${kind}, ${hash}, ${workspaceId}, ${of.nowMs})`,
    ),
    isFull ? sql`DELETE FROM ${log} WHERE sequence <= ${head - KEPT_ENTRIES}` : null,
  ]
}

/** See `ChangeLog.register`. The update waits for changes that have not seen that the log is in use. */
export function* register(of: Dialect, { node, leaseMs }: NodeRegistration): Work<void> {
  yield [
    sql`UPDATE ${of.table('clock')} SET is_used = 1 WHERE one = 1`,
    sql`INSERT INTO ${of.table('nodes')} (node, lease_ms, renewal, since, acknowledged)
      VALUES (${node}, ${leaseMs}, 0, 0, 0) ${of.onTaken('node')} node = ${of.inserted('node')}`,
  ]
}

/**
 * See `ChangeLog.renew`. After a restore, the first renewal that is carried out finds that the row does not
 * have the one that the node names as answered, and moves `since` past it. So neither this renewal nor a
 * later one acknowledges anything before the node has applied an answer of the restored log.
 */
export function* renew(of: Dialect, request: RenewalRequest): Work<Renewal> {
  const { node, renewal, answered, applied } = request
  const nodes = of.table('nodes')
  // MySQL reads in an assignment what those before it have set, so each column is set after it was read.
  const [
    ,
    {
      rows: [row],
    },
  ] = yield* each(
    sql`UPDATE ${nodes} SET
      acknowledged = CASE WHEN ${answered} BETWEEN since AND renewal
        THEN ${of.greatest}(acknowledged, ${applied ?? 0}) ELSE acknowledged END,
      since = CASE WHEN ${answered} > renewal THEN ${renewal} ELSE since END,
      renewal = ${of.greatest}(renewal, ${renewal})
      WHERE node = ${node}`,
    sql`SELECT since FROM ${nodes} WHERE node = ${node}`,
  )
  if (row === undefined) return { outcome: 'evicted' }
  const { head } = yield* headOf(of)
  return {
    outcome: 'renewed',
    isSameLog: answered >= integerIn(row, 'since'),
    head,
    changes: yield* entriesAfter(of, applied, head),
  }
}

/** `null` where some are missing: they are deleted, or were while this has read. */
function* entriesAfter(
  of: Dialect,
  applied: number | null,
  head: number,
): Work<readonly LoggedChange[] | null> {
  if (applied === null || head - applied > KEPT_ENTRIES) return null
  const rows = yield* rowsOf(sql`SELECT sequence, kind, hash, workspace_id
    FROM ${of.table('log')} WHERE sequence > ${applied} AND sequence <= ${head} ORDER BY sequence`)
  return rows.length === Math.max(0, head - applied) ? rows.map(loggedChangeFrom) : null
}

/** Reads an entry of the log. */
export function loggedChangeFrom(row: SqlRow): LoggedChange {
  const sequence = integerIn(row, 'sequence')
  const kind = oneOfIn(row, 'kind', ['key', 'plan', 'everything'])
  if (kind === 'key') return { sequence, kind, hash: hashIn(row, 'hash') }
  if (kind === 'everything') return { sequence, kind }
  return { sequence, kind, workspaceId: optionalTextIn(row, 'workspace_id') }
}

/** See `ChangeLog.laggingNodes`. */
export function* laggingNodes(of: Dialect, sequence: number | null): Work<Lag> {
  const last = sequence === null ? sql`c.head` : sql`${sequence}`
  const rows = yield* rowsOf(sql`SELECT c.head, n.node, n.lease_ms, n.renewal
    FROM ${of.table('clock')} AS c LEFT JOIN ${of.table('nodes')} AS n ON n.acknowledged < ${last}
    WHERE c.one = 1`)
  const head = sequence ?? integerIn(rowFrom(rows[0]), 'head')
  return { head, nodes: rows.filter(({ node }) => node !== null).map(laggingNodeFrom) }
}

/** Reads a node that has not acknowledged an entry. */
export function laggingNodeFrom(row: SqlRow): LaggingNode {
  const [leaseMs, renewal] = [integerIn(row, 'lease_ms'), integerIn(row, 'renewal')]
  return { node: textIn(row, 'node'), leaseMs, renewal }
}

/** See `ChangeLog.countNodes`. */
export function* countNodes(of: Dialect): Work<NodeCount> {
  const [first] = yield* rowsOf(sql`SELECT COUNT(n.node) AS nodes,
      COALESCE(MAX(c.head) - MIN(n.acknowledged), 0) AS behind
    FROM ${of.table('clock')} AS c LEFT JOIN ${of.table('nodes')} AS n ON 1 = 1 WHERE c.one = 1`)
  const row = rowFrom(first)
  return { nodes: integerIn(row, 'nodes'), lag: Math.max(0, integerIn(row, 'behind')) }
}

/** See `ChangeLog.evict`. */
export function* evict(of: Dialect, nodes: readonly LaggingNode[], sequence: number): Work<void> {
  yield nodes.map(
    ({ node, renewal }) => sql`DELETE FROM ${of.table('nodes')}
      WHERE node = ${node} AND renewal = ${renewal} AND acknowledged < ${sequence}`,
  )
}

/** See `ChangeLog.leave`. */
export function* leave(of: Dialect, node: string): Work<void> {
  yield [sql`DELETE FROM ${of.table('nodes')} WHERE node = ${node}`]
}

/** See `ChangeLog.recentHashes`. A key may have been used in the hour before too. */
export function* recentHashes(of: Dialect, limit: number): Work<readonly string[]> {
  const rows = yield* rowsOf(sql`SELECT k.hash FROM (
      SELECT key_id, hour FROM ${of.table('hourly_usage')} WHERE outcome = 0
      ORDER BY hour DESC LIMIT ${2 * limit}) AS r
    CROSS JOIN ${of.table('keys')} AS k WHERE k.id = r.key_id AND k.revoked_at_ms IS NULL
    GROUP BY k.hash ORDER BY MAX(r.hour) DESC LIMIT ${limit}`)
  return rows.map((row) => hashIn(row, 'hash'))
}
