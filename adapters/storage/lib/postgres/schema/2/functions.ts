import { EXPIRED_AHEAD_MS } from '../../../decision.ts'
import type { Names } from '../../names.ts'
import { lowerSettled } from './settled.ts'

/** How long a change waits for locks, unless its call says otherwise. */
const LOCK_TIMEOUT = '2s'

/** How long this call may wait for locks, so that it answers before its caller stops waiting. */
export const LOCK_TIMEOUT_OF_CALL = `PERFORM set_config(
      'lock_timeout', coalesce(p->>'lockTimeoutMs', current_setting('lock_timeout')), true);`

/** The tables that a program reads. */
export const READ_TABLES = [
  ...['schema_version', 'workspaces', 'keys', 'usage', 'usage_hours', 'usage_days'],
  ...['events', 'purged', 'notices', 'nodes'],
]

/** The functions that a program calls, as a GRANT names them. */
export const CALLED_FUNCTIONS = [
  'insert_key(jsonb)',
  'update_key(jsonb)',
  'rotate_key(jsonb)',
  'revoke_key(jsonb)',
  'confirm_keys(jsonb)',
  'add_uses(jsonb)',
  'claim_events(jsonb)',
  'settle_events(jsonb)',
  'release_events(jsonb)',
  'store_notices(jsonb)',
  'register_node(jsonb)',
  'renew_node(jsonb)',
  'evict_nodes(jsonb)',
  'leave_node(jsonb)',
  'change_plan(jsonb)',
]

/** The functions that delete, which a role that only serves requests does not need. */
export const ERASURE_FUNCTIONS = ['erase_person(jsonb)', 'erase_workspace(jsonb)', 'purge(jsonb)']

const HELPERS = [
  'commit_durably()',
  'lock_workspace(text, boolean)',
  'decided_at(jsonb, bigint, text)',
  'store_key(jsonb, text, bigint)',
  'store_event(jsonb, text, bigint)',
  'move_old_usage(integer, integer)',
  'log_changes(text, bytea[], text)',
  'log_key_changes()',
  'plan_notice()',
]

/**
 * A function with the rights of the schema's owner, so that a program needs no right to write the
 * tables, and with a search path in which no other role can create anything.
 */
export function changeFunction(name: string, returns: string, body: string): string {
  return defined(
    `${name} RETURNS ${returns} LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp SET lock_timeout = '${LOCK_TIMEOUT}'`,
    body,
  )
}

/** A step of such a function, with the rights of its caller. */
export function helper(name: string, returns: string, body: string): string {
  return defined(
    `${name} RETURNS ${returns} LANGUAGE plpgsql
    SET search_path = pg_catalog, pg_temp`,
    body,
  )
}

function defined(head: string, body: string): string {
  return `
  CREATE FUNCTION ${head}
  AS $body$${body}
  $body$;`
}

/** Revokes the right to call the functions, which PostgreSQL grants to every role. */
export function closedToPublic({ at }: Names): string {
  const closed = (signature: string) => {
    const [name = '', rest] = signature.split('(')
    return `\n  REVOKE ALL ON FUNCTION ${at(name)}(${rest} FROM PUBLIC;`
  }
  return [...CALLED_FUNCTIONS, ...ERASURE_FUNCTIONS, ...HELPERS].map(closed).join('')
}

/**
 * Lets a trigger run under `session_replication_role = replica` too. One that writes to another table
 * must not: what replicates the one table replicates the other.
 */
export function enabledAlways({ at, bare }: Names, table: string, trigger: string): string {
  return `ALTER TABLE ${at(table)} ENABLE ALWAYS TRIGGER ${bare(trigger)};`
}

/** The steps that changes are made of. */
export function helpers({ at }: Names): string {
  return [storedKey, commitDurably, lockWorkspace, decidedAt, storeKey, storeEvent]
    .map((part) => part(at))
    .join('')
}

/**
 * A key and its usage as a JSON object by column, so that a new column needs no new function. The hash
 * is written as hex digits here, because a setting of the session decides how `bytea` looks as text.
 */
const storedKey = (at: Names['at']) => `
  CREATE FUNCTION ${at('stored_key')}(k ${at('keys')}, u ${at('usage')}) RETURNS jsonb
  LANGUAGE sql STABLE
  RETURN pg_catalog.to_jsonb(k) OPERATOR(pg_catalog.||) pg_catalog.to_jsonb(u)
    OPERATOR(pg_catalog.||) pg_catalog.jsonb_build_object(
      'hash', pg_catalog.encode(k.hash, 'hex'));`

/** The key with this id and its usage, as a value in SQL. */
export function storedKeyById(at: Names['at'], id: string): string {
  return `(SELECT ${at('stored_key')}(k, u)
      FROM ${at('keys')} k JOIN ${at('usage')} u ON u.id = k.id WHERE k.id = ${id})`
}

/**
 * Makes the commit of this transaction wait for the disk, and for a synchronous standby if there is
 * one, whatever the session is set to. A SET clause of a function cannot do that: it is undone when
 * the function returns, and the commit comes later.
 */
const commitDurably = (at: Names['at']) =>
  helper(
    `${at('commit_durably')}()`,
    'void',
    `
  BEGIN
    IF current_setting('synchronous_commit') IN ('off', 'local') THEN
      PERFORM set_config('synchronous_commit', 'on', true);
    END IF;
  END`,
  )

/**
 * The row of the workspace is updated, not only locked, so that a transaction with an old snapshot
 * fails with a serialization failure instead of missing keys when it counts.
 */
const lockWorkspace = (at: Names['at']) =>
  helper(
    `${at('lock_workspace')}(p_workspace text, p_is_new boolean)`,
    'bigint',
    `
  DECLARE v_seq bigint;
  BEGIN
    PERFORM ${at('commit_durably')}();
    IF p_is_new THEN
      INSERT INTO ${at('workspaces')} AS w (workspace_id, changes) VALUES (p_workspace, 1)
        ON CONFLICT (workspace_id) DO UPDATE SET changes = w.changes + 1
        RETURNING w.changes INTO STRICT v_seq;
    ELSE
      UPDATE ${at('workspaces')} w SET changes = w.changes + 1
        WHERE w.workspace_id = p_workspace RETURNING w.changes INTO STRICT v_seq;
    END IF;
    RETURN v_seq;
  END`,
  )

/**
 * When a change of the instant `p_at` is decided: the wait since its call later, and not before the end of
 * a key of the workspace that once counted as expired. `calledAtMs` makes the wait a little too long;
 * without it the wait is that in the caller's process and in this server, and a little too short.
 */
const decidedAt = (at: Names['at']) =>
  helper(
    `${at('decided_at')}(p jsonb, p_at bigint, p_workspace text)`,
    'bigint',
    `
  DECLARE v_now double precision := date_part('epoch', clock_timestamp()) * 1000;
  BEGIN
    RETURN greatest(
      p_at + floor(greatest(0, v_now - (p->>'calledAtMs')::double precision,
        coalesce((p->>'waitedMs')::double precision, 0)
          + v_now - date_part('epoch', statement_timestamp()) * 1000))::bigint,
      (SELECT least(w.expired_to_ms, v_now::bigint + ${EXPIRED_AHEAD_MS})
        FROM ${at('workspaces')} w
        WHERE w.workspace_id = p_workspace AND w.expired_to_ms IS NOT NULL));
  END`,
  )

/**
 * Stores a record that is given as a JSON object by column. A taken hash is refused here: PostgreSQL
 * would refuse it as well, and quote it in its log.
 */
const storeKey = (at: Names['at']) =>
  helper(
    `${at('store_key')}(p jsonb, p_workspace text, p_seq bigint)`,
    'void',
    `
  DECLARE v_key ${at('keys')} := jsonb_populate_record(
    NULL::${at('keys')}, p || jsonb_build_object('seq', p_seq));
  BEGIN
    IF v_key.workspace_id IS DISTINCT FROM p_workspace THEN
      RAISE EXCEPTION 'miftah: the key is of another workspace' USING ERRCODE = 'check_violation';
    END IF;
    INSERT INTO ${at('usage')} VALUES (v_key.id, 0) ON CONFLICT DO NOTHING;
    IF FOUND THEN
      INSERT INTO ${at('keys')} SELECT v_key.* ON CONFLICT DO NOTHING;
    END IF;
    IF NOT FOUND THEN
      RAISE EXCEPTION 'miftah: this hash, id or link is taken' USING ERRCODE = 'unique_violation';
    END IF;
  END`,
  )

const storeEvent = (at: Names['at']) =>
  helper(
    `${at('store_event')}(p jsonb, p_workspace text, p_seq bigint)`,
    'void',
    `
  DECLARE v_position bigint;
  BEGIN
    IF p->>'workspaceId' IS DISTINCT FROM p_workspace THEN
      RAISE EXCEPTION 'miftah: the event is of another workspace' USING ERRCODE = 'check_violation';
    END IF;
    INSERT INTO ${at('events')} VALUES (
      p->>'id', p_workspace, p_seq, p->>'type', (p->>'atMs')::bigint,
      p->'actor'->>'id', p->'actor'->>'name', p->>'keyId', p->'data'
    );
    IF NOT FOUND THEN
      RAISE EXCEPTION 'miftah: the event could not be stored' USING ERRCODE = 'restrict_violation';
    END IF;
    INSERT INTO ${at('outbox')} (event_id) VALUES (p->>'id') RETURNING position INTO v_position;
    ${lowerSettled(at)}
  END`,
  )
