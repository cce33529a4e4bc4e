import type {
  ViewQuery,
  WorkspaceView,
  WorkspaceWrite,
  WriteOutcome,
} from '../../../../src/storage/index.ts'
import { unknownOutcome } from '../attempts.ts'
import { type Deadline, deadlineOf } from '../deadline.ts'
import { integerIn, optionalIntegerIn, textsIn } from '../sql/cells.ts'
import { KEY_COLUMNS } from '../sql/columns.ts'
import { countsAt, retiresAt } from '../sql/conditions.ts'
import { heldKeyFrom } from '../sql/rows.ts'
import { partsOf } from '../sql/sql.ts'
import type { StorableStorage } from '../storable-storage.ts'
import type { Ask } from './ask.ts'
import { named, type Statement } from './driver.ts'
import { POSTGRES, stateIn } from './errors.ts'
import { type At, fromPrimary, HELD_KEY, listOf, objectOf, SETTINGS, texts } from './sql.ts'

const MOST_STEPS = 50

export function writesOn(ask: Ask) {
  const view = readOf(ask.at)
  return {
    read: async (query, call) => viewFrom(await ask.read(view(query), call)),
    write: writerOf(ask),
  } satisfies Partial<StorableStorage>
}

/** What a decision is made from, in one snapshot. */
function readOf(at: At): (query: ViewQuery) => Statement {
  const count = (condition: string) => `CASE WHEN $4::text <> '' THEN (SELECT count(*) FROM (
      SELECT FROM ${at('keys')} k WHERE k.workspace_id = $1 AND ${condition}
      LIMIT nullif($5::text, '')::bigint + 1) c) END`
  const atMs = `nullif($4::text, '')::bigint`
  const statement = named(
    fromPrimary(`SELECT json_build_object(
    'isErased', coalesce(w.is_erased, false), 'added', coalesce(w.added, 0),
    'keys', (SELECT json_agg(${HELD_KEY}) FROM ${at('keys')} k
      LEFT JOIN ${at('usage')} u ON u.key_id = k.id
      WHERE k.workspace_id = $1 AND k.id = ANY (${texts('$2')})),
    'eventIds', (SELECT coalesce(json_agg(e.id), '[]') FROM ${at('events')} e
      WHERE e.workspace_id = $1 AND e.id = ANY (${texts('$3')})),
    'activeKeys', ${count(countsAt(atMs))},
    'retiringKeys', ${count(retiresAt(atMs))})
  FROM (SELECT $1::text AS id) one LEFT JOIN ${at('workspaces')} w ON w.id = one.id`),
  )
  return ({ workspaceId, ids, eventIds, countAtMs, countUpTo }) => ({
    ...statement,
    values: [
      ...[workspaceId, JSON.stringify(ids), JSON.stringify(eventIds)],
      ...[String(countAtMs ?? ''), String(countUpTo ?? '')],
    ],
  })
}

function viewFrom(answer: string | null): WorkspaceView {
  const row = objectOf(answer)
  return {
    isErased: row['isErased'] === true,
    added: integerIn(row, 'added'),
    keys: listOf(row['keys']).map(heldKeyFrom),
    eventIds: textsIn(row, 'eventIds'),
    activeKeys: optionalIntegerIn(row, 'activeKeys'),
    retiringKeys: optionalIntegerIn(row, 'retiringKeys'),
  }
}

const COLUMNS = KEY_COLUMNS.map(({ name }) => name).filter(
  (name) => name !== 'id' && name !== 'workspace_id',
)

/**
 * Keys are locked by id, then workspaces by id, and the row of the log last. What is locked is as its last
 * change left it, so the guards hold at every isolation level. A step that is not stored whole, since a trigger of
 * somebody else swallowed a part, fails: 1 / 0.
 */
function writeText(at: At): string {
  const set = COLUMNS.map((name) => `${name} = p.${name}`).join(', ')
  return `WITH ${SETTINGS}, change AS MATERIALIZED (
  SELECT c->>'workspaceId' AS workspace_id, (c->>'ifAddedAtMost')::bigint AS at_most,
    (c->>'adds')::bigint AS adds, c->'keys' AS keys, c->'events' AS events,
    greatest(1, jsonb_array_length(c->'keys'), jsonb_array_length(c->'events')) AS step,
    jsonb_path_exists(c, '$.keys[*].ifEdition ? (@ == null)') AS has_new
  FROM settings, jsonb_array_elements($2::text::jsonb) AS c
), put AS MATERIALIZED (
  SELECT c.workspace_id AS of_workspace, p.n, (p.k->>'ifEdition')::bigint AS if_edition, x.*
  FROM change c, jsonb_array_elements(c.keys) WITH ORDINALITY AS p (k, n),
    jsonb_populate_record(NULL::${at('keys')}, p.k->'record') AS x
), held AS MATERIALIZED (
  SELECT k.id, k.workspace_id, k.edition, k.revoked_at_ms FROM ${at('keys')} k
  WHERE k.id = ANY (ARRAY(SELECT p.id FROM put p WHERE p.if_edition IS NOT NULL))
  ORDER BY k.id FOR NO KEY UPDATE
), stepped AS (
  INSERT INTO ${at('workspaces')} AS w (id, revision, added)
    SELECT c.workspace_id, c.step, c.adds FROM change c
    WHERE (c.at_most >= 0) IS NOT FALSE AND NOT EXISTS (
      SELECT FROM put p LEFT JOIN held h ON h.id = p.id AND h.workspace_id = p.of_workspace
      WHERE p.of_workspace = c.workspace_id AND p.if_edition IS NOT NULL
        AND (h.edition IS DISTINCT FROM p.if_edition
          OR h.revoked_at_ms IS NOT NULL AND h.revoked_at_ms IS DISTINCT FROM p.revoked_at_ms))
    ORDER BY c.workspace_id
  ON CONFLICT (id) DO UPDATE SET revision = w.revision + excluded.revision, added = w.added + excluded.added
    WHERE (SELECT NOT (w.is_erased AND c.has_new) AND w.added <= coalesce(c.at_most, w.added)
      FROM change c WHERE c.workspace_id = w.id)
  RETURNING w.id, w.revision
), stored AS MATERIALIZED (
  SELECT c.workspace_id, s.revision - c.step AS place, c.events FROM stepped s JOIN change c ON c.workspace_id = s.id
), updated AS (
  UPDATE ${at('keys')} k SET ${set}, edition = k.edition + 1
  FROM stored s JOIN put p ON p.of_workspace = s.workspace_id
  WHERE k.id = p.id AND p.if_edition IS NOT NULL RETURNING 1
), inserted AS (
  INSERT INTO ${at('keys')} (id, workspace_id, place, edition, ${COLUMNS.join(', ')})
  SELECT p.id, s.workspace_id, s.place + p.n, 1, ${COLUMNS.map((name) => `p.${name}`).join(', ')}
  FROM stored s JOIN put p ON p.of_workspace = s.workspace_id WHERE p.if_edition IS NULL RETURNING 1
), logged AS (
  INSERT INTO ${at('events')} (workspace_id, place, id, key_id, type, at_ms, actor_id, actor_name, data)
  SELECT s.workspace_id, s.place + t.n, t.e->>'id', t.e->>'keyId', t.e->>'type', (t.e->>'atMs')::bigint,
    t.e->'actor'->>'id', t.e->'actor'->>'name', t.e->'data'
  FROM stored s, jsonb_array_elements(s.events) WITH ORDINALITY AS t (e, n)
  ORDER BY s.workspace_id, t.n RETURNING 1
), unlogged AS MATERIALIZED (
  SELECT FROM ${at('clock')} c WHERE NOT c.is_used AND EXISTS (SELECT FROM stored) FOR SHARE
)
SELECT json_build_object(
  'stored', (SELECT coalesce(json_agg(s.workspace_id), '[]') FROM stored s),
  'isLogged', NOT EXISTS (SELECT FROM unlogged),
  'isWhole', 1 / ((SELECT count(*) FROM updated) + (SELECT count(*) FROM inserted)
      = (SELECT count(*) FROM stored s JOIN put p ON p.of_workspace = s.workspace_id)
    AND (SELECT count(*) FROM logged)
      = (SELECT coalesce(sum(jsonb_array_length(s.events)), 0) FROM stored s))::int
)::text AS answer`
}

/** A step as the statement reads it, once and for all: what becomes of the argument later changes nothing. */
function encoded({ workspaceId, ifAddedAtMost, adds, keys, events }: WorkspaceWrite) {
  const rows = keys.map(({ record, ifEdition }) => {
    const columns = KEY_COLUMNS.map(({ name, of }) => [name, of(record)])
    return { ifEdition, record: { ...Object.fromEntries(columns), hash: `\\x${record.hash}` } }
  })
  const json = JSON.stringify({ workspaceId, ifAddedAtMost, adds, keys: rows, events })
  return { workspaceId, json }
}

type Steps = readonly ReturnType<typeof encoded>[]
type Outcomes = readonly WriteOutcome[]

function writerOf({ at, write }: Ask): StorableStorage['write'] {
  const statement = named(writeText(at))
  const together = async (steps: Steps, deadline: Deadline): Promise<Outcomes> => {
    const json = `[${steps.map((step) => step.json).join()}]`
    return outcomesOf(steps, await write({ ...statement, values: [json] }, deadline))
  }
  /** Once a part may be stored, a failure of another one leaves the outcome of all open. */
  const inParts = async (steps: Steps, size: number, deadline: Deadline): Promise<Outcomes> => {
    const outcomes: WriteOutcome[] = []
    for (const part of partsOf(steps, size)) {
      try {
        outcomes.push(...(await orApart(part, deadline)))
      } catch (error) {
        throw outcomes.some(({ outcome }) => outcome === 'stored')
          ? unknownOutcome(POSTGRES, error)
          : error
      }
    }
    return outcomes
  }
  const orApart = async (steps: Steps, deadline: Deadline): Promise<Outcomes> => {
    try {
      return await together(steps, deadline)
    } catch (error) {
      if (stateIn(error) !== '23505') throw error
      return steps.length === 1 ? [{ outcome: 'refused' }] : inParts(steps, 1, deadline)
    }
  }
  return async (writes, call) => inParts(writes.map(encoded), MOST_STEPS, deadlineOf(call))
}

function outcomesOf(steps: Steps, answer: string | null): Outcomes {
  try {
    const row = objectOf(answer)
    const stored = new Set(textsIn(row, 'stored'))
    const isLogged = row['isLogged'] === true
    return steps.map(({ workspaceId }) =>
      stored.has(workspaceId) ? { outcome: 'stored', isLogged } : { outcome: 'refused' },
    )
  } catch (error) {
    throw unknownOutcome(POSTGRES, error)
  }
}
