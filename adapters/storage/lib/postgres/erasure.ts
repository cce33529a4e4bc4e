import type { Progress } from '../../../../src/storage/index.ts'
import { integerIn } from '../sql/cells.ts'
import { SPARED_MS } from '../sql/erasure.ts'
import type { StorableStorage } from '../storable-storage.ts'
import type { Ask } from './ask.ts'
import { type At, NOW_MS, objectOf, SETTINGS } from './sql.ts'

/* Each step deletes or changes a few rows, in the order of their ids or past those that are locked. */

export function erasureOn({ at, change, run }: Ask) {
  return {
    renameActor: async ({ personId, limit }, call) =>
      progressFrom(await change(renameActor(at), [personId, String(limit)], call)),
    closeWorkspace: (workspaceId, call) => run(close(at), [workspaceId], call),
    deleteWorkspace: async ({ workspaceId, limit }, call) =>
      progressFrom(await change(deleteWorkspace(at), [workspaceId, String(limit)], call)),
    purge: async ({ endedBeforeMs, eventsBeforeMs, limit }, call) => {
      const values = [endedBeforeMs ?? '', eventsBeforeMs ?? '', limit].map(String)
      return progressFrom(await change(purge(at), values, call))
    },
  } satisfies Partial<StorableStorage>
}

function renameActor(at: At): string {
  return `WITH ${SETTINGS}, named AS MATERIALIZED (
  SELECT e.id FROM settings, ${at('events')} e WHERE e.actor_id = $2::text
  ORDER BY e.id LIMIT $3::text::bigint FOR NO KEY UPDATE OF e
), renamed AS (
  UPDATE ${at('events')} e SET actor_id = 'miftah:erased', actor_name = 'Erased'
  WHERE e.id = ANY (ARRAY(SELECT n.id FROM named n)) RETURNING 1
)
SELECT json_build_object('keys', 0, 'events', count(*), 'more', count(*) = $3::text::bigint)::text AS answer
FROM renamed`
}

function close(at: At): string {
  return `WITH ${SETTINGS}
INSERT INTO ${at('workspaces')} AS w (id, revision, added, is_erased) SELECT $2::text, 0, 0, true FROM settings
ON CONFLICT (id) DO UPDATE SET is_erased = true RETURNING w.id AS answer`
}

/** Deletes revoked keys of a closed workspace, and once there are none, acknowledged events. */
function deleteWorkspace(at: At): string {
  const ofWorkspace = '= (SELECT p.id FROM parameters p)'
  return deletion(at, {
    parameters: `SELECT w.id, $3::text::bigint AS most FROM settings, ${at('workspaces')} w
  WHERE w.id = $2::text AND w.is_erased`,
    keys: `k.workspace_id ${ofWorkspace} AND k.revoked_at_ms IS NOT NULL`,
    events: `e.workspace_id ${ofWorkspace} AND NOT e.is_pending`,
    order: { keys: 'k.id', events: 'e.id' },
    waits: true,
  })
}

/** Deletes dead keys and, once there are none, old acknowledged events. */
function purge(at: At): string {
  const ended = 'least(k.revoked_at_ms, k.retires_at_ms, k.expires_at_ms)'
  return deletion(at, {
    parameters: `SELECT least(nullif($2::text, '')::bigint, now) AS ended, least(nullif($3::text, '')::bigint, now) AS delivered,
    now - ${SPARED_MS} AS spared, $4::text::bigint AS most FROM (SELECT ${NOW_MS} AS now FROM settings) clock`,
    keys: `$2::text <> '' AND ${ended} < (SELECT p.ended FROM parameters p) AND k.format IS NULL
    AND k.written_at_ms < (SELECT p.spared FROM parameters p)`,
    events: `$3::text <> '' AND NOT e.is_pending AND e.at_ms < (SELECT p.delivered FROM parameters p)
    AND e.written_at_ms < (SELECT p.spared FROM parameters p)`,
    order: { keys: ended, events: 'e.at_ms' },
    waits: false,
  })
}

interface Deletion {
  readonly parameters: string
  readonly keys: string
  readonly events: string
  readonly order: Readonly<Record<'keys' | 'events', string>>
  /** Whether it waits for locked rows, or leaves them out. */
  readonly waits: boolean
}

/** The foreign keys delete the usage of keys with them. */
function deletion(at: At, { parameters, keys, events, order, waits }: Deletion): string {
  const most = '(SELECT p.most FROM parameters p)'
  const lock = waits ? 'FOR UPDATE' : 'FOR UPDATE SKIP LOCKED'
  return `WITH ${SETTINGS}, parameters AS MATERIALIZED (
  ${parameters}
), dead AS MATERIALIZED (
  SELECT k.id FROM ${at('keys')} k WHERE ${keys} ORDER BY ${order.keys} LIMIT ${most} ${lock}
), deleted_keys AS (
  DELETE FROM ${at('keys')} k WHERE k.id = ANY (ARRAY(SELECT d.id FROM dead d)) RETURNING 1
), old AS MATERIALIZED (
  SELECT e.id FROM ${at('events')} e WHERE NOT EXISTS (SELECT FROM dead) AND ${events}
  ORDER BY ${order.events} LIMIT ${most} ${lock}
), deleted_events AS (
  DELETE FROM ${at('events')} e WHERE e.id = ANY (ARRAY(SELECT o.id FROM old o)) RETURNING 1
), done AS (
  SELECT (SELECT count(*) FROM deleted_keys) AS keys, (SELECT count(*) FROM deleted_events) AS events
)
SELECT json_build_object('keys', d.keys, 'events', d.events,
  'more', d.keys > 0 OR d.events = ${most},
  'isLogged', (SELECT c.is_used FROM ${at('clock')} c))::text AS answer FROM done d`
}

function progressFrom(answer: string | null): Progress {
  const row = objectOf(answer)
  const counts = { keys: integerIn(row, 'keys'), events: integerIn(row, 'events') }
  return { ...counts, more: row['more'] === true, isLogged: row['isLogged'] === true }
}
