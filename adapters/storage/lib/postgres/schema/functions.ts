import type { Names } from '../names.ts'

/** How long a change waits for locks unless its caller has less time. */
const LOCK_TIMEOUT = '2s'

/** How long this call may wait for locks, so that it has an answer while its caller still listens. */
export const LOCK_TIMEOUT_OF_CALL = `PERFORM set_config(
      'lock_timeout', coalesce(p->>'lockTimeoutMs', current_setting('lock_timeout')), true);`

/** The functions that a program calls, as a GRANT names them. */
export const CALLED_FUNCTIONS = [
  'insert_key(jsonb)',
  'rotate_key(jsonb)',
  'revoke_key(jsonb)',
  'add_uses(text, bigint, text[], bigint[], bigint[])',
  'claim_events(jsonb)',
  'settle_events(text, text[])',
  'release_events(jsonb)',
]

const HELPERS = [
  'commit_durably()',
  'lock_workspace(text, boolean)',
  'store_key(jsonb, text, bigint, text)',
  'store_event(jsonb, text, bigint)',
]

/**
 * Wraps a function body. It runs with the rights of the schema's owner, so that a program needs
 * no right to write the tables, and with a search path that nobody can put tables into.
 */
export function changeFunction(name: string, returns: string, body: string): string {
  return defined(
    `${name} RETURNS ${returns} LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp SET lock_timeout = '${LOCK_TIMEOUT}'`,
    body,
  )
}

function helper(name: string, returns: string, body: string): string {
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

/** Takes the right to call the functions from those who were not granted it. */
export function closedToPublic({ at }: Names): string {
  const closed = (signature: string) => {
    const [name = '', rest] = signature.split('(')
    return `\n  REVOKE ALL ON FUNCTION ${at(name)}(${rest} FROM PUBLIC;`
  }
  return [...CALLED_FUNCTIONS, ...HELPERS].map(closed).join('')
}

/** Version 1: the steps that changes are made of. */
export function helpers({ at }: Names): string {
  return `${commitDurably(at)}${lockWorkspace(at)}${storeKey(at)}${storeEvent(at)}`
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
 * The row of the workspace is updated and not only locked: a transaction with an old snapshot then
 * fails with a serialization failure instead of counting keys that it cannot see.
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
 * A taken hash is refused here: PostgreSQL would refuse it as well, and quote it in its log.
 */
const storeKey = (at: Names['at']) =>
  helper(
    `${at('store_key')}(p jsonb, p_workspace text, p_seq bigint, p_replaces text)`,
    'void',
    `
  BEGIN
    IF p->>'workspaceId' IS DISTINCT FROM p_workspace THEN
      RAISE EXCEPTION 'miftah: the key is of another workspace' USING ERRCODE = 'check_violation';
    END IF;
    INSERT INTO ${at('keys')} VALUES (
      p->>'id', decode(p->>'hash', 'hex'), p_workspace, p_seq, p->>'name', p->>'environment',
      ARRAY(SELECT s.scope FROM jsonb_array_elements_text(p->'scopes') WITH ORDINALITY s (scope, nr)
        ORDER BY s.nr),
      p->>'prefix', p->'creator'->>'id', p->'creator'->>'name', (p->>'createdAtMs')::bigint,
      (p->>'lastUsedAtMs')::bigint, (p->>'uses')::bigint, (p->>'revokedAtMs')::bigint,
      p_replaces, p->>'replacedBy'
    ) ON CONFLICT DO NOTHING;
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
  BEGIN
    IF p->>'workspaceId' IS DISTINCT FROM p_workspace THEN
      RAISE EXCEPTION 'miftah: the event is of another workspace' USING ERRCODE = 'check_violation';
    END IF;
    INSERT INTO ${at('events')} VALUES (
      p->>'id', p_workspace, p_seq, p->>'type', (p->>'atMs')::bigint,
      p->'actor'->>'id', p->'actor'->>'name', p->>'keyId', p->'data'
    );
    INSERT INTO ${at('outbox')} (event_id) VALUES (p->>'id');
  END`,
  )
