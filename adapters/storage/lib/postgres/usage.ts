import { outcomeCode, type UsageOutcome, type UsageQuery } from '../../../../src/storage/index.ts'
import { rowFrom } from '../sql/cells.ts'
import { hourlyTotalFrom, MOST, MOST_DELETED, WRITER_MEMORY_MS } from '../sql/usage.ts'
import type { StorableStorage } from '../storable-storage.ts'
import type { Ask } from './ask.ts'
import type { Statement } from './driver.ts'
import { type At, fromPrimary, listOf, NOW_MS, objectOf, SETTINGS } from './sql.ts'

export function usesOn({ at, read, run }: Ask) {
  return {
    addUses: (batch, call) => run(addUses(at), [JSON.stringify(batch, stored)], call),
    usage: async (workspaceId, query, call) => {
      const { isKnown, counts } = objectOf(await read(totals(at, workspaceId, query), call))
      if (isKnown !== true) return null
      return listOf(counts).map((value) => hourlyTotalFrom(rowFrom(value)))
    },
  } satisfies Partial<StorableStorage>
}

function stored(name: string, value: unknown): unknown {
  return name === 'outcome' ? outcomeCode(value as UsageOutcome) : value
}

/**
 * A batch of uses, once: the lock on the row of its writer, by which a repeat is recognised, makes the repeat
 * commit no sooner than the call that it repeats. Rows are locked in the order of their ids, so that
 * two batches never deadlock. The foreign keys refuse a row of a key that is deleted meanwhile.
 */
function addUses(at: At): string {
  return `WITH ${SETTINGS}, batch AS MATERIALIZED (
  SELECT $2::text::jsonb AS p, ${NOW_MS} AS now FROM settings
), read AS MATERIALIZED (
  SELECT p->'uses' AS uses, p->'history'->'counts' AS counts, now, now / 3600000 AS hour,
    (now / 86400000 - (p->'history'->>'keepDays')::bigint) * 24 AS first_hour FROM batch
), writer AS (
  INSERT INTO ${at('writers')} AS w (id, sequence, written_at_ms)
    SELECT p->>'writer', (p->>'sequence')::bigint, now FROM batch
  ON CONFLICT (id) DO UPDATE SET sequence = excluded.sequence, written_at_ms = excluded.written_at_ms
    WHERE w.sequence < excluded.sequence
  RETURNING w.id
), given AS MATERIALIZED (
  SELECT u.id, least(sum(u.uses), ${MOST})::bigint AS uses, least(max(u."lastUsedAtMs"), max(b.now)) AS at
  FROM writer, read b, jsonb_to_recordset(b.uses) AS u (id text, uses bigint, "lastUsedAtMs" bigint)
  GROUP BY u.id
), counted AS MATERIALIZED (
  SELECT c.id, least(c.hour, b.hour) AS hour, c.outcome, least(sum(c.count), ${MOST})::bigint AS count
  FROM writer, read b,
    jsonb_to_recordset(b.counts) AS c (id text, hour bigint, outcome smallint, count bigint)
  WHERE least(c.hour, b.hour) >= b.first_hour GROUP BY 1, 2, 3
), used AS (
  INSERT INTO ${at('usage')} AS u (key_id, uses, last_used_at_ms)
    SELECT k.id, coalesce(g.uses, 0), g.at FROM ${at('keys')} k LEFT JOIN given g ON g.id = k.id
    WHERE k.id = ANY (ARRAY(SELECT g.id FROM given g UNION SELECT c.id FROM counted c))
    ORDER BY k.id
  ON CONFLICT (key_id) DO UPDATE SET uses = least(u.uses + excluded.uses, ${MOST}), last_used_at_ms =
    CASE WHEN u.last_used_at_ms > (SELECT b.now FROM read b) AND excluded.last_used_at_ms IS NOT NULL
      THEN excluded.last_used_at_ms ELSE greatest(u.last_used_at_ms, excluded.last_used_at_ms) END
  RETURNING u.key_id
), hours AS (
  INSERT INTO ${at('hourly_usage')} AS h (key_id, hour, outcome, count)
    SELECT c.id, c.hour, c.outcome, c.count FROM used u JOIN counted c ON c.id = u.key_id
    ORDER BY c.id, c.hour, c.outcome
  ON CONFLICT (key_id, hour, outcome) DO UPDATE SET count = least(h.count + excluded.count, ${MOST})
), dropped AS (
  DELETE FROM ${at('hourly_usage')} h WHERE h.ctid = ANY (ARRAY(
    SELECT o.ctid FROM ${at('hourly_usage')} o WHERE o.hour < (SELECT b.first_hour FROM writer, read b)
    ORDER BY o.hour LIMIT ${MOST_DELETED} FOR UPDATE OF o SKIP LOCKED))
), forgotten AS (
  DELETE FROM ${at('writers')} w WHERE w.id = ANY (ARRAY(
    SELECT o.id FROM batch b, ${at('writers')} o
    WHERE (b.p->>'sequence')::bigint = 1 AND o.written_at_ms < b.now - ${WRITER_MEMORY_MS}
    LIMIT 100 FOR UPDATE OF o SKIP LOCKED))
)
SELECT (SELECT count(*) FROM writer)::text AS answer`
}

/** The counts of the keys along their index; the ids are read first, or a join reads every row. */
function totals(at: At, workspaceId: string, query: UsageQuery): Statement {
  const { id, fromHour, toHour } = query
  const ids = `SELECT k.id FROM ${at('keys')} k WHERE k.workspace_id = $1${id === null ? '' : ' AND k.id = $4'}`
  const text = fromPrimary(`SELECT json_build_object(
    'isKnown', ${id === null ? 'true' : `EXISTS (${ids})`},
    'counts', (SELECT json_agg(c) FROM (
      SELECT h.hour, h.outcome, least(sum(h.count), ${MOST})::bigint AS count FROM ${at('hourly_usage')} h
      WHERE h.key_id = ANY (ARRAY(${ids})) AND h.hour >= $2::text::bigint AND h.hour < $3::text::bigint
      GROUP BY h.hour, h.outcome) c))`)
  const values = [workspaceId, String(fromHour), String(toHour)]
  return { text, values: id === null ? values : [...values, id] }
}
