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
import { rowsOf, type Work } from '../sql/work.ts'
import { headOf, KEPT_ENTRIES, logPlan } from './log.ts'
import { statement } from './query.ts'
import type { MysqlRunner } from './runner.ts'

const USE = statement('UPDATE miftah_change_clock SET is_used = 1 WHERE one = 1')
const REGISTER = statement(`INSERT INTO miftah_nodes (node, lease_ms) VALUES (?, ?)
  ON DUPLICATE KEY UPDATE node = VALUES(node)`)
// From left to right: what a column is set to is read in those after it.
const RENEW = statement(`UPDATE miftah_nodes
  SET acked = IF(? BETWEEN since AND renewal, GREATEST(acked, ?), acked),
    since = IF(? > renewal, ?, since),
    renewal = GREATEST(renewal, ?)
  WHERE node = ?`)
const SINCE = statement('SELECT since FROM miftah_nodes WHERE node = ?')
const ENTRIES = statement(`SELECT sequence, kind, LOWER(HEX(hash)) AS hash,
    workspace_id AS workspaceId FROM miftah_changes
  WHERE sequence > ? AND sequence <= ? ORDER BY sequence`)
const LAGGING = statement(
  'SELECT node, lease_ms AS leaseMs, renewal FROM miftah_nodes WHERE acked < ?',
)
const COUNT =
  statement(`SELECT COUNT(node) AS nodes, COALESCE(GREATEST(0, MAX(head) - MIN(acked)), 0) AS lag
  FROM miftah_change_clock LEFT JOIN miftah_nodes ON TRUE WHERE one = 1`)
// The rows of an hour are together; a key may have been used in the hour before too.
const RECENT = statement(`SELECT LOWER(HEX(k.hash)) AS hash FROM (
    SELECT key_position, hour FROM miftah_usage_hours WHERE outcome = 0
    ORDER BY hour DESC, key_position DESC LIMIT ?) AS r
  JOIN miftah_keys AS k ON k.position = r.key_position WHERE k.revoked_at_ms IS NULL
  GROUP BY k.hash ORDER BY MAX(r.hour) DESC LIMIT ?`)
const EVICT = statement('DELETE FROM miftah_nodes WHERE node = ? AND renewal = ? AND acked < ?')
const LEAVE = statement('DELETE FROM miftah_nodes WHERE node = ?')

/** Behind a burst of other changes, the lease of the process would run out. */
const AT_ONCE = { lane: null }
const CACHE = { lane: 'cache' } as const

/**
 * The log of changes of a database. There are no notifications: a process looks at the head of the log in one
 * indexed read, every `pollMs`, and renews when it has moved.
 */
export function changeLogOf({ read, change }: MysqlRunner, pollMs: number): ChangeLog {
  const rows = (query: unknown, call: StorageCall | undefined) =>
    read(function* () {
      return rowsOf(yield query)
    }, call)
  const evictAll = (queries: readonly unknown[], call: StorageCall | undefined) =>
    change(
      function* () {
        for (const query of queries) yield query
      },
      call,
      CACHE,
    )
  return {
    register: (registration, call) => change(() => register(registration), call, AT_ONCE),
    renew: (request, call) => change(() => renew(request), call, AT_ONCE),
    laggingNodes: async (sequence, call) =>
      (await rows(LAGGING.all(sequence), call)).map(laggingNodeFrom),
    countNodes: async (call) => nodeCountFrom((await rows(COUNT.all(), call))[0]),
    recentHashes: async (limit, call) =>
      (await rows(RECENT.all(2 * limit, limit), call)).map((row) => textIn(rowFrom(row), 'hash')),
    evict: (nodes, sequence, call) =>
      evictAll(
        nodes.map(({ node, renewal }) => EVICT.run(node, renewal, sequence)),
        call,
      ),
    leave: (node, call) => evictAll([LEAVE.run(node)], call),
    changePlan: (workspaceId, call) => change(() => logPlan(workspaceId), call, CACHE),
    listen: (onHint) => {
      const head = async () => (await read(() => headOf(), undefined)).head
      return pollEvery(pollMs, head, onHint)
    },
  }
}

/** The update waits for changes that have not seen that the log is used. */
function* register({ node, leaseMs }: NodeRegistration): Work<void> {
  yield USE.run()
  yield REGISTER.run(node, leaseMs)
}

/**
 * After a restore, the first renewal that is carried out finds that the row does not have the one that the
 * node names as answered, and moves `since` past it. So neither this renewal nor a later one acknowledges
 * anything before the node has applied an answer of the restored log.
 */
function* renew({ node, renewal, answered, applied }: RenewalRequest): Work<Renewal> {
  yield RENEW.run(answered, applied ?? 0, answered, renewal, renewal, node)
  const row = yield SINCE.get(node)
  if (!row) return { outcome: 'evicted' }
  const { head } = yield* headOf()
  return {
    outcome: 'renewed',
    isSameLog: answered >= integerIn(rowFrom(row), 'since'),
    head,
    changes: yield* entriesAfter(applied, head),
  }
}

/** `null` where some are missing: they are deleted, or were while this has read. */
function* entriesAfter(applied: number | null, head: number): Work<readonly LoggedChange[] | null> {
  if (applied === null || head - applied > KEPT_ENTRIES) return null
  const entries = rowsOf(yield ENTRIES.all(applied, head)).map(loggedChangeFrom)
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
