import { auditEventFrom } from '../sql/rows.ts'
import type { StorableStorage } from '../storable-storage.ts'
import type { Ask } from './ask.ts'
import { stateIn } from './errors.ts'
import { type At, fromPrimary, listOf, NOW_MS, parsed, SETTINGS, texts } from './sql.ts'

export function relaysOn({ at, read, change, run }: Ask) {
  return {
    claimEvents: async ({ relay, leaseMs, limit, except }, call) => {
      const others = JSON.stringify(except)
      const leased = await change(lease(at), [relay, String(leaseMs), others], call)
      if (leased !== relay) return []
      const claimed = await read({ text: claim(at), values: [others, String(limit)] }, call)
      return listOf(parsed(claimed)).map(auditEventFrom)
    },
    acknowledgeEvents: async (relay, eventIds, call) => {
      const ids = JSON.stringify(eventIds)
      const isErased = await change(acknowledge(at), [relay, ids], call)
      if (isErased !== 'true') return
      await run(deleteDelivered(at), [ids], call).catch((error: unknown) => {
        // A role that may not delete leaves them to the next erasure.
        if (stateIn(error) !== '42501') throw error
      })
    },
    releaseEvents: (relay, call) => run(release(at), [relay], call),
  } satisfies Partial<StorableStorage>
}

const wanted = (at: At, except: string) =>
  `FROM ${at('events')} e WHERE e.is_pending AND e.workspace_id <> ALL (${except})`

/**
 * Takes the lease, if there is something to deliver, and then answers its holder. A lease that ends later than it
 * can end was taken before the server's clock was set back.
 */
function lease(at: At): string {
  return `WITH ${SETTINGS}, claim AS MATERIALIZED (
  SELECT $2::text AS relay, $3::text::bigint AS lease, ${NOW_MS} AS now FROM settings
)
UPDATE ${at('relay')} r SET relay = c.relay, lease_ms = c.lease, leased_until_ms = c.now + c.lease FROM claim c
WHERE EXISTS (SELECT ${wanted(at, texts('$4'))})
  AND (r.relay = c.relay OR r.leased_until_ms <= c.now OR r.leased_until_ms > c.now + 2 * r.lease_ms)
RETURNING r.relay AS answer`
}

/** The events of a claim: a statement of its own, which sees what the relay before has acknowledged. */
function claim(at: At): string {
  return fromPrimary(`SELECT json_agg(p ORDER BY p.position) FROM (
    SELECT e.* ${wanted(at, texts('$1'))} ORDER BY e.position LIMIT $2::text::bigint) p`)
}

/** Marks events as delivered; answers whether some of them are of an erased workspace. */
function acknowledge(at: At): string {
  return `WITH ${SETTINGS}, holder AS MATERIALIZED (
  SELECT FROM settings, ${at('relay')} r WHERE r.relay = $2::text FOR UPDATE OF r
), acknowledged AS (
  UPDATE ${at('events')} e SET is_pending = false
  WHERE e.id = ANY (${texts('$3')}) AND e.is_pending AND EXISTS (SELECT FROM holder) RETURNING e.workspace_id
)
SELECT EXISTS (SELECT FROM acknowledged a JOIN ${at('workspaces')} w ON w.id = a.workspace_id
  WHERE w.is_erased)::text AS answer`
}

function deleteDelivered(at: At): string {
  return `WITH ${SETTINGS}
DELETE FROM ${at('events')} e USING settings, ${at('workspaces')} w
WHERE e.id = ANY (${texts('$2')}) AND NOT e.is_pending AND w.id = e.workspace_id AND w.is_erased
RETURNING e.id AS answer`
}

function release(at: At): string {
  return `WITH ${SETTINGS}
UPDATE ${at('relay')} r SET relay = NULL, leased_until_ms = 0 FROM settings
WHERE r.relay = $2::text RETURNING 'released' AS answer`
}
