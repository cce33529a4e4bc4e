import { ERASED_PERSON } from '../../../../../../src/storage/index.ts'
import type { Names } from '../../names.ts'
import { headOfLog } from './change-log.ts'
import { changeFunction, LOCK_TIMEOUT_OF_CALL } from './functions.ts'

type At = Names['at']

/** The server's clock, in milliseconds since the epoch. */
const NOW_MS = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint'

/** When a key stopped or stops for good; null for never. */
const END_OF_KEY = 'LEAST(revoked_at_ms, retires_at_ms, expires_at_ms)'

/** What finds a person, dead keys and old events, and what stays of purged rows. */
export function erasureTables({ at, bare }: Names): string {
  return `
  ALTER TABLE ${at('workspaces')} ADD COLUMN is_erased boolean NOT NULL DEFAULT false;

  CREATE INDEX ${bare('keys_creator')} ON ${at('keys')} (creator_id);
  CREATE INDEX ${bare('keys_pauser')} ON ${at('keys')} (paused_by_id)
    WHERE paused_by_id IS NOT NULL;
  CREATE INDEX ${bare('keys_end')} ON ${at('keys')} ((${END_OF_KEY}))
    WHERE ${END_OF_KEY} IS NOT NULL AND format IS NULL;
  CREATE INDEX ${bare('events_actor')} ON ${at('events')} (actor_id);
  CREATE INDEX ${bare('events_by_time')} ON ${at('events')} (at_ms);

  CREATE TABLE ${at('purged')} (
    kind text COLLATE "C" NOT NULL
      CONSTRAINT ${bare('purged_kind')} CHECK (kind IN ('key', 'event')),
    id text COLLATE "C" NOT NULL,
    workspace_id text COLLATE "C" NOT NULL,
    seq bigint NOT NULL,
    PRIMARY KEY (kind, id)
  );
  CREATE INDEX ${bare('purged_workspace')} ON ${at('purged')} (workspace_id);`
}

/** The functions that erase and purge. A role needs the right to call them for itself. */
export function erasure({ at }: Names): string {
  return [erasePerson, eraseWorkspace, purge].map((part) => part(at)).join('')
}

/** Where a key or an event is or was, as rows of `seq` in SQL. */
export function placeOf(at: At, kind: 'key' | 'event', [id, workspace]: readonly string[]): string {
  return `(SELECT c.seq FROM ${at(`${kind}s`)} c WHERE c.id = ${id} AND c.workspace_id = ${workspace}
    UNION ALL SELECT g.seq FROM ${at('purged')} g
      WHERE g.kind = '${kind}' AND g.id = ${id} AND g.workspace_id = ${workspace})`
}

const pseudonym = (person: string) => `
      ${person}_id = CASE WHEN x.${person}_id = v_person THEN '${ERASED_PERSON.id}' ELSE x.${person}_id END,
      ${person}_name = CASE WHEN x.${person}_id = v_person THEN '${ERASED_PERSON.name}' ELSE x.${person}_name END`

/*
 * With a cache, a change of keys holds the row of the log of changes until it commits, and every other
 * change waits for it. So what takes long, the search for events and the deletion of the history of keys, is
 * in a step of its own, or comes first.
 */

/** A trigger of the host may have swallowed a change. */
const refuseIf = (remains: string, what: string) => `IF ${remains} THEN
        RAISE EXCEPTION 'miftah: ${what}' USING ERRCODE = 'restrict_violation';
      END IF;`

/** Refuses a step that has left rows as they were. */
const refuseRest = (rows: string, person: string) =>
  refuseIf(
    `EXISTS (SELECT FROM ${rows} WHERE x.id = ANY (v_ids) AND (${person}))`,
    'the person could not be erased',
  )

/** Refuses a step that has not deleted all rows that it was to delete. */
const refuseKept = (at: At, table: 'keys' | 'usage' | 'events') =>
  refuseIf(
    `EXISTS (SELECT FROM ${at(table)} x WHERE x.id = ANY (v_ids))`,
    `rows of ${table} could not be deleted`,
  )

/**
 * Keys are locked in the order of their ids, so that two erasures never deadlock. One that waited for
 * another looks again.
 */
const erasePerson = (at: At) =>
  changeFunction(
    `${at('erase_person')}(p jsonb)`,
    'json',
    `
  DECLARE
    v_person text NOT NULL := p->>'personId';
    v_limit bigint NOT NULL := (p->>'limit')::bigint;
    v_ids text[];
    v_keys bigint;
    v_events bigint := 0;
  BEGIN
    ${LOCK_TIMEOUT_OF_CALL}
    PERFORM ${at('commit_durably')}();
    LOOP
      v_ids := ARRAY(
        SELECT k.id FROM ${at('keys')} k WHERE k.creator_id = v_person
        UNION SELECT k.id FROM ${at('keys')} k WHERE k.paused_by_id = v_person
        LIMIT v_limit);
      PERFORM FROM ${at('keys')} k WHERE k.id = ANY (v_ids) ORDER BY k.id FOR NO KEY UPDATE;
      UPDATE ${at('keys')} x
        SET version = x.version + 1,${pseudonym('creator')},${pseudonym('paused_by')}
        WHERE x.id = ANY (v_ids) AND (x.creator_id = v_person OR x.paused_by_id = v_person);
      GET DIAGNOSTICS v_keys = ROW_COUNT;
      ${refuseRest(`${at('keys')} x`, 'x.creator_id = v_person OR x.paused_by_id = v_person')}
      EXIT WHEN v_keys > 0 OR cardinality(v_ids) = 0;
    END LOOP;
    IF v_keys = 0 THEN
      v_ids := ARRAY(
        SELECT e.id FROM ${at('events')} e WHERE e.actor_id = v_person LIMIT v_limit);
      UPDATE ${at('events')} x SET${pseudonym('actor')} WHERE x.id = ANY (v_ids);
      GET DIAGNOSTICS v_events = ROW_COUNT;
      ${refuseRest(`${at('events')} x`, 'x.actor_id = v_person')}
    END IF;
    RETURN json_build_object('keys', v_keys, 'events', v_events,
      'more', v_keys > 0 OR v_events = v_limit, 'sequence', ${headOfLog(at)});
  END`,
  )

/**
 * Deletes the history of keys before they change, which can be many rows. The rows of `usage` are locked
 * first, as a batch of uses locks them.
 */
const deleteHistory = (at: At) => `PERFORM FROM ${at('usage')} u
      WHERE u.id = ANY (v_ids) ORDER BY u.id FOR UPDATE;
    DELETE FROM ${at('usage_hours')} h WHERE h.id = ANY (v_ids);
    DELETE FROM ${at('usage_days')} d WHERE d.id = ANY (v_ids);`

/** Keys that live are revoked first, which the log of changes tells to the nodes with a cache. */
const eraseWorkspace = (at: At) =>
  changeFunction(
    `${at('erase_workspace')}(p jsonb)`,
    'json',
    `
  DECLARE
    v_workspace text NOT NULL := p->>'workspaceId';
    v_at bigint NOT NULL := (p->>'erasedAtMs')::bigint;
    v_limit bigint NOT NULL := (p->>'limit')::bigint;
    v_is_erased boolean;
    v_ids text[];
    v_keys bigint;
    v_events bigint := 0;
  BEGIN
    ${LOCK_TIMEOUT_OF_CALL}
    PERFORM ${at('lock_workspace')}(v_workspace, true);
    UPDATE ${at('workspaces')} w SET is_erased = true WHERE w.workspace_id = v_workspace
      RETURNING w.is_erased INTO v_is_erased;
    ${refuseIf('v_is_erased IS NOT TRUE', 'the workspace could not be closed')}
    v_ids := ARRAY(
      SELECT k.id FROM ${at('keys')} k
        WHERE k.workspace_id = v_workspace AND k.revoked_at_ms IS NULL
      UNION ALL SELECT k.id FROM ${at('keys')} k
        WHERE k.workspace_id = v_workspace AND k.revoked_at_ms IS NOT NULL
      LIMIT v_limit);
    ${deleteHistory(at)}
    UPDATE ${at('keys')} k
      SET revoked_at_ms = least(v_at, k.retires_at_ms), version = k.version + 1, updated_at_ms = v_at
      WHERE k.id = ANY (v_ids) AND k.revoked_at_ms IS NULL;
    DELETE FROM ${at('keys')} k WHERE k.id = ANY (v_ids);
    ${refuseKept(at, 'keys')}
    DELETE FROM ${at('usage')} u WHERE u.id = ANY (v_ids);
    ${refuseKept(at, 'usage')}
    v_keys := cardinality(v_ids);
    IF v_keys = 0 THEN
      v_ids := ARRAY(
        SELECT e.id FROM ${at('events')} e WHERE e.workspace_id = v_workspace
          AND NOT EXISTS (SELECT FROM ${at('outbox')} o WHERE o.event_id = e.id) LIMIT v_limit);
      DELETE FROM ${at('events')} d WHERE d.id = ANY (v_ids);
      ${refuseKept(at, 'events')}
      v_events := cardinality(v_ids);
      DELETE FROM ${at('purged')} g WHERE g.workspace_id = v_workspace;
    END IF;
    RETURN json_build_object('keys', v_keys, 'events', v_events,
      'more', v_keys > 0 OR v_events = v_limit, 'sequence', ${headOfLog(at)});
  END`,
  )

/** Whatever is deleted leaves its place behind, for the cursors that name it. */
const purge = (at: At) =>
  changeFunction(
    `${at('purge')}(p jsonb)`,
    'json',
    `
  DECLARE
    v_now bigint NOT NULL := ${NOW_MS};
    v_ended bigint := (p->>'endedBeforeMs')::bigint;
    v_events_before bigint := (p->>'eventsBeforeMs')::bigint;
    v_limit bigint NOT NULL := (p->>'limit')::bigint;
    v_ids text[];
    v_keys bigint;
    v_events bigint := 0;
  BEGIN
    ${LOCK_TIMEOUT_OF_CALL}
    v_ids := ARRAY(
      SELECT k.id FROM ${at('keys')} k
      WHERE v_ended IS NOT NULL AND ${END_OF_KEY} < least(v_ended, v_now) AND format IS NULL
      ORDER BY ${END_OF_KEY} LIMIT v_limit FOR UPDATE SKIP LOCKED);
    ${deleteHistory(at)}
    WITH gone AS (
      DELETE FROM ${at('keys')} k WHERE k.id = ANY (v_ids) RETURNING k.id, k.workspace_id, k.seq
    )
    INSERT INTO ${at('purged')} SELECT 'key', g.id, g.workspace_id, g.seq FROM gone g;
    GET DIAGNOSTICS v_keys = ROW_COUNT;
    ${refuseKept(at, 'keys')}
    DELETE FROM ${at('usage')} u WHERE u.id = ANY (v_ids);
    ${refuseKept(at, 'usage')}
    IF v_keys = 0 THEN
      v_ids := ARRAY(
        SELECT e.id FROM ${at('events')} e
        WHERE v_events_before IS NOT NULL AND e.at_ms < least(v_events_before, v_now)
          AND NOT EXISTS (SELECT FROM ${at('outbox')} o WHERE o.event_id = e.id)
        ORDER BY e.at_ms LIMIT v_limit FOR UPDATE SKIP LOCKED);
      WITH gone AS (
        DELETE FROM ${at('events')} d WHERE d.id = ANY (v_ids)
        RETURNING d.id, d.workspace_id, d.seq
      )
      INSERT INTO ${at('purged')} SELECT 'event', g.id, g.workspace_id, g.seq FROM gone g;
      GET DIAGNOSTICS v_events = ROW_COUNT;
      ${refuseKept(at, 'events')}
    END IF;
    RETURN json_build_object('keys', v_keys, 'events', v_events,
      'more', v_keys > 0 OR v_events = v_limit, 'sequence', ${headOfLog(at)});
  END`,
  )
