import type { ChangeLog, Renewal } from '../../../../src/storage/index.ts'
import { integerIn, rowFrom } from '../sql/cells.ts'
import { laggingNodeFrom, loggedChangeFrom } from '../sql/rows.ts'
import type { Ask } from './ask.ts'
import type { PostgresPool } from './driver.ts'
import { CHANNEL, listenerOf } from './listener.ts'
import { type At, fromPrimary, listOf, objectOf, parsed, SETTINGS } from './sql.ts'

/** How many entries are kept; the trigger that logs changes of keys keeps as many. */
const KEPT = 1_000

const WAKE = 'SELECT pg_notify($1, $2)::text AS answer'

/** The log of changes of an installation. Each method is one statement, and so a transaction, of its own. */
export function changeLogOf(
  pool: PostgresPool,
  schema: string,
  { at, read, change, run }: Ask,
): ChangeLog {
  const installation = `"${schema}".`
  const listen = listenerOf(pool, installation)
  const texts = textsOf(at)
  return {
    register: ({ node, leaseMs }, call) => run(texts.register, [node, String(leaseMs)], call),
    renew: async ({ node, renewal, answered, applied }, call) => {
      const values = [node, String(renewal), String(answered), String(applied ?? '')]
      return renewalFrom(await change(texts.renew, values, call))
    },
    laggingNodes: async (sequence, call) => {
      const statement = { text: texts.lagging, values: [String(sequence ?? '')] }
      const row = objectOf(await read(statement, call))
      return {
        head: integerIn(row, 'head'),
        nodes: listOf(row['nodes']).map(rowFrom).map(laggingNodeFrom),
      }
    },
    countNodes: async (call) => {
      const row = objectOf(await read({ text: texts.count, values: [] }, call))
      return { nodes: integerIn(row, 'nodes'), lag: integerIn(row, 'lag') }
    },
    evict: (nodes, sequence, call) => {
      const seen = nodes.map(({ node, renewal }) => ({ node, renewal }))
      return run(texts.evict, [JSON.stringify(seen), String(sequence)], call)
    },
    leave: (node, call) => run(texts.leave, [node], call),
    changePlan: (workspaceId, call) =>
      run(texts.changePlan, [JSON.stringify({ workspaceId })], call),
    recentHashes: async (limit, call) =>
      listOf(parsed(await read({ text: texts.recent, values: [String(limit)] }, call))).map(String),
    // On its own: the queue of notifications can be full, and must not fail a change.
    wake: async (call) => {
      await read({ text: WAKE, values: [CHANNEL, installation] }, call)
    },
    ...(listen === undefined ? {} : { listen }),
  }
}

function textsOf(at: At) {
  return {
    // The update waits for changes that have not seen that the log is used.
    register: `WITH ${SETTINGS}, used AS (
  UPDATE ${at('clock')} c SET is_used = true FROM settings WHERE NOT c.is_used RETURNING 1
)
INSERT INTO ${at('nodes')} (node, lease_ms) SELECT $2::text, $3::text::bigint FROM settings
ON CONFLICT DO NOTHING RETURNING node AS answer`,
    // After a restore, the first renewal carried out finds that the row does not have the one that the node names as
    // answered, and moves since past it: nothing is acknowledged before the node has applied an answer of this log.
    renew: `WITH ${SETTINGS}, given AS MATERIALIZED (
  SELECT $2::text AS node, $3::text::bigint AS renewal, $4::text::bigint AS answered,
    nullif($5::text, '')::bigint AS applied FROM settings
), renewed AS (
  UPDATE ${at('nodes')} n SET renewal = greatest(n.renewal, g.renewal),
    since = CASE WHEN g.answered > n.renewal THEN g.renewal ELSE n.since END,
    acknowledged = CASE WHEN g.answered BETWEEN n.since AND n.renewal
      THEN greatest(n.acknowledged, coalesce(g.applied, 0)) ELSE n.acknowledged END
  FROM given g WHERE n.node = g.node RETURNING g.answered >= n.since AS is_same_log, g.applied
)
SELECT json_build_object('isSameLog', r.is_same_log, 'head', c.head,
  'changes', CASE WHEN c.head - r.applied <= ${KEPT} THEN (
    SELECT coalesce(json_agg(json_build_object('sequence', l.sequence, 'kind', l.kind,
      'hash', encode(l.hash, 'hex'), 'workspace_id', l.workspace_id) ORDER BY l.sequence), '[]')
    FROM ${at('log')} l WHERE l.sequence > r.applied AND l.sequence <= c.head) END)::text AS answer
FROM renewed r, ${at('clock')} c`,
    lagging: fromPrimary(`SELECT json_build_object('head', h.head, 'nodes', (
    SELECT json_agg(json_build_object('node', n.node, 'lease_ms', n.lease_ms, 'renewal', n.renewal))
    FROM ${at('nodes')} n WHERE n.acknowledged < h.head))
  FROM (SELECT coalesce(nullif($1::text, '')::bigint, c.head) AS head FROM ${at('clock')} c) h`),
    count: fromPrimary(`SELECT json_build_object('nodes', count(n.node),
    'lag', greatest(0, max(c.head) - min(n.acknowledged)))
  FROM ${at('clock')} c LEFT JOIN ${at('nodes')} n ON true`),
    // A node that somebody else is changing renews, or is removed already.
    evict: `WITH ${SETTINGS}, behind AS MATERIALIZED (
  SELECT n.node FROM settings, jsonb_to_recordset($2::text::jsonb) AS seen (node text, renewal bigint), ${at('nodes')} n
  WHERE n.node = seen.node AND n.renewal = seen.renewal AND n.acknowledged < $3::text::bigint
  FOR UPDATE OF n SKIP LOCKED
)
DELETE FROM ${at('nodes')} d WHERE d.node IN (SELECT b.node FROM behind b) RETURNING d.node AS answer`,
    leave: `WITH ${SETTINGS}
DELETE FROM ${at('nodes')} n USING settings WHERE n.node = $2::text RETURNING n.node AS answer`,
    changePlan: `WITH ${SETTINGS}, moved AS (
  UPDATE ${at('clock')} c SET head = c.head + 1 FROM settings WHERE c.is_used RETURNING c.head
), forgotten AS (
  DELETE FROM ${at('log')} l USING moved m WHERE l.sequence <= m.head - ${KEPT}
)
INSERT INTO ${at('log')} (sequence, kind, workspace_id)
SELECT m.head, 'plan', $2::text::jsonb->>'workspaceId' FROM moved m RETURNING sequence::text AS answer`,
    // The rows of an hour are together; a key may have been used in the hour before too.
    recent: fromPrimary(`SELECT json_agg(encode(t.hash, 'hex')) FROM (
    SELECT k.hash FROM (
      SELECT h.key_id, h.hour FROM ${at('hourly_usage')} h WHERE h.outcome = 0
      ORDER BY h.hour DESC LIMIT $1::text::bigint * 2) r
    JOIN ${at('keys')} k ON k.id = r.key_id WHERE k.revoked_at_ms IS NULL
    GROUP BY k.hash ORDER BY max(r.hour) DESC LIMIT $1::text::bigint) t`),
  }
}

function renewalFrom(answer: string | null): Renewal {
  if (answer === null) return { outcome: 'evicted' }
  const row = objectOf(answer)
  const head = integerIn(row, 'head')
  const changes =
    row['changes'] === null ? null : listOf(row['changes']).map(rowFrom).map(loggedChangeFrom)
  return { outcome: 'renewed', isSameLog: row['isSameLog'] === true, head, changes }
}
