import type { ChangeLog, StorageCall } from '../../../../../src/storage/index.ts'
import { deadlineOf } from '../../deadline.ts'
import type { Calls } from '../calls.ts'
import type { PostgresPool } from '../driver.ts'
import type { Names } from '../names.ts'
import { qualified } from '../qualified.ts'
import type { Readiness } from '../readiness.ts'
import { fromPrimary, type Statements } from '../statements.ts'
import * as answers from './answers.ts'
import { listenerOf } from './listener.ts'
import { CHANNEL } from './listening-connection.ts'

/** Calls a function of the schema with one argument. */
export type CallFunction = (
  name: string,
  argument: object,
  call: StorageCall | undefined,
) => Promise<string | null>

interface Parts {
  readonly pool: PostgresPool
  readonly calls: Calls
  readonly readiness: Readiness
  readonly statements: Statements
  readonly names: Names
  readonly run: CallFunction
}

/** The log of changes of an installation. Each method is a statement, and so a transaction, of its own. */
export function changeLogOf(parts: Parts): ChangeLog {
  const { pool, calls, readiness, names, run } = parts
  const installation = names.at('')
  const listen = listenerOf(pool, installation)
  const behind = fromPrimary(`SELECT pg_catalog.json_agg(pg_catalog.json_build_object(
      'node', n.node, 'leaseMs', n.lease_ms, 'renewal', n.renewal))
    FROM ${names.at('nodes')} n WHERE n.acked < $1::text::bigint`)
  const count = fromPrimary(`SELECT pg_catalog.json_build_object('nodes', count(n.node),
      'lag', greatest(0, pg_catalog.max(c.head) - pg_catalog.min(n.acked)))
    FROM ${names.at('change_clock')} c LEFT JOIN ${names.at('nodes')} n ON true`)
  // The rows of an hour are together; a key may have been used in the hour before too.
  const recent = fromPrimary(`SELECT pg_catalog.json_agg(pg_catalog.encode(t.hash, 'hex')) FROM (
    SELECT k.hash FROM (
      SELECT h.id, h.hour FROM ${names.at('usage_hours')} h WHERE h.outcome = 0
      ORDER BY h.hour DESC, h.id DESC LIMIT $1::text::bigint * 2) r
    JOIN ${names.at('keys')} k ON k.id = r.id WHERE k.revoked_at_ms IS NULL
    GROUP BY k.hash ORDER BY pg_catalog.max(r.hour) DESC LIMIT $1::text::bigint) t`)
  const read = async (text: string, values: readonly string[], call: StorageCall | undefined) => {
    const deadline = deadlineOf(call)
    await readiness.ensure(call)
    return calls.read({ text, values }, deadline)
  }
  return {
    register: async (registration, call) => {
      await run('register_node', registration, call)
    },
    renew: async (request, call) => answers.renewal(await run('renew_node', request, call)),
    laggingNodes: async (sequence, call) =>
      answers.laggingNodes(await read(behind, [String(sequence)], call)),
    countNodes: async (call) => answers.nodeCount(await read(count, [], call)),
    recentHashes: async (limit, call) => answers.hashes(await read(recent, [String(limit)], call)),
    evict: async (behind, sequence, call) => {
      const nodes = behind.map(({ node, renewal }) => ({ node, renewal }))
      await run('evict_nodes', { nodes, sequence }, call)
    },
    leave: async (node, call) => {
      await run('leave_node', { node }, call)
    },
    changePlan: async (workspaceId, call) =>
      answers.sequence(await run('change_plan', { workspaceId }, call)),
    // On its own: the queue of notifications can be full, and must not fail a change.
    wake: async (call) => {
      await read(
        qualified('SELECT pg_catalog.pg_notify($1, $2)::text AS answer'),
        [CHANNEL, installation],
        call,
      )
    },
    ...(listen === undefined ? {} : { listen }),
  }
}
