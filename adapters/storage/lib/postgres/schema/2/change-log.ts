import type { Names } from '../../names.ts'
import { changeFunction, enabledAlways, helper, LOCK_TIMEOUT_OF_CALL } from './functions.ts'

type At = Names['at']

/** How many entries are kept. A node that is further behind forgets everything. */
export const KEPT_CHANGES = 1_000

/**
 * The log of changes that nodes with a cache apply. Until the first node registers nothing is
 * written; a change only shares a lock on the clock, so that it commits before the node is there.
 *
 * The row lock on the clock makes the order of the sequences that of the commits, without gaps.
 */
export function changeLog(names: Names): string {
  const { at } = names
  return [
    tables(names),
    ...[logChanges, logKeyChanges, registerNode, renewNode, evictNodes, leaveNode].map((part) =>
      part(at),
    ),
    changePlan(at),
    triggers(names),
  ].join('')
}

/** What a change waits for, as a value in SQL: the head, or null where no node ever registered. */
export function headOfLog(at: At): string {
  return `(SELECT CASE WHEN c.is_used THEN c.head END FROM ${at('change_clock')} c)`
}

const tables = ({ at, bare }: Names) => `
  CREATE TABLE ${at('change_clock')} (
    is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
    head bigint NOT NULL DEFAULT 0,
    is_used boolean NOT NULL DEFAULT false
  ) WITH (fillfactor = 50);
  INSERT INTO ${at('change_clock')} DEFAULT VALUES;

  CREATE TABLE ${at('changes')} (
    sequence bigint PRIMARY KEY,
    kind text COLLATE "C" NOT NULL
      CONSTRAINT ${bare('changes_kind')} CHECK (kind IN ('key', 'plan', 'everything')),
    hash bytea CONSTRAINT ${bare('changes_hash')} CHECK ((kind = 'key') = (hash IS NOT NULL)),
    workspace_id text COLLATE "C"
      CONSTRAINT ${bare('changes_workspace_id')} CHECK (kind = 'plan' OR workspace_id IS NULL),
    at timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp()
  );

  CREATE TABLE ${at('nodes')} (
    node text COLLATE "C" PRIMARY KEY,
    lease_ms bigint NOT NULL,
    renewal bigint NOT NULL DEFAULT 0,
    since bigint NOT NULL DEFAULT 0,
    acked bigint NOT NULL DEFAULT 0
  ) WITH (fillfactor = 50);`

/**
 * Adds an entry for each hash, or one entry of another kind. A statement that changes more keys than
 * the log keeps adds one entry for all.
 */
const logChanges = (at: At) =>
  helper(
    `${at('log_changes')}(p_kind text, p_hashes bytea[], p_workspace text)`,
    'void',
    `
  DECLARE
    v_is_used boolean;
    v_kind text := CASE WHEN cardinality(p_hashes) > ${KEPT_CHANGES} THEN 'everything' ELSE p_kind END;
    v_entries bigint := CASE WHEN v_kind = 'key' THEN cardinality(p_hashes) ELSE 1 END;
    v_head bigint;
  BEGIN
    IF v_entries = 0 THEN
      RETURN;
    END IF;
    SELECT c.is_used INTO STRICT v_is_used FROM ${at('change_clock')} c;
    IF NOT v_is_used THEN
      SELECT c.is_used INTO STRICT v_is_used FROM ${at('change_clock')} c FOR SHARE;
    END IF;
    IF NOT v_is_used THEN
      RETURN;
    END IF;
    PERFORM ${at('commit_durably')}();
    UPDATE ${at('change_clock')} c SET head = c.head + v_entries RETURNING c.head INTO STRICT v_head;
    IF v_kind = 'key' THEN
      INSERT INTO ${at('changes')} (sequence, kind, hash)
        SELECT v_head - v_entries + u.place, 'key', u.hash
        FROM unnest(p_hashes) WITH ORDINALITY AS u (hash, place);
    ELSE
      INSERT INTO ${at('changes')} (sequence, kind, workspace_id)
        VALUES (v_head, v_kind, p_workspace);
    END IF;
    DELETE FROM ${at('changes')} c WHERE c.sequence <= v_head - ${KEPT_CHANGES};
  END`,
  )

/**
 * Logs every change of a key, also one made by hand, under the hash that nodes remember it by. Deleting
 * a revoked key tells them nothing new.
 */
const logKeyChanges = (at: At) =>
  changeFunction(
    `${at('log_key_changes')}()`,
    'trigger',
    `
  BEGIN
    IF TG_OP = 'TRUNCATE' THEN
      PERFORM ${at('log_changes')}('everything', NULL, NULL);
    ELSE
      PERFORM ${at('log_changes')}('key', ARRAY(
        SELECT o.hash FROM changed_keys o WHERE TG_OP = 'UPDATE' OR o.revoked_at_ms IS NULL
      ), NULL);
    END IF;
    RETURN NULL;
  END`,
  )

/** The update waits for changes that have not seen that the log is used. */
const registerNode = (at: At) =>
  changeFunction(
    `${at('register_node')}(p jsonb)`,
    'json',
    `
  BEGIN
    ${LOCK_TIMEOUT_OF_CALL}
    PERFORM ${at('commit_durably')}();
    UPDATE ${at('change_clock')} c SET is_used = true WHERE NOT c.is_used;
    INSERT INTO ${at('nodes')} (node, lease_ms) VALUES (p->>'node', (p->>'leaseMs')::bigint)
      ON CONFLICT DO NOTHING;
    RETURN 'null';
  END`,
  )

/**
 * Durable before it answers: a node must not hold a lease from a renewal that the server forgets in a
 * crash, or an eviction could find no renewal since.
 *
 * After a restore, the first renewal carried out finds that the row does not have the one that the
 * node names as answered, and moves `since` past it. So neither this renewal nor a later one
 * acknowledges anything before the node has applied an answer of the restored log, even if answers are
 * lost until the row has caught up: what is acknowledged, the node has applied from this log.
 */
const renewNode = (at: At) =>
  changeFunction(
    `${at('renew_node')}(p jsonb)`,
    'json',
    `
  DECLARE
    v_applied bigint := (p->>'applied')::bigint;
    v_answered bigint := (p->>'answered')::bigint;
    v_renewal bigint := (p->>'renewal')::bigint;
    v_is_same_log boolean;
    v_head bigint;
    v_changes json;
  BEGIN
    ${LOCK_TIMEOUT_OF_CALL}
    PERFORM ${at('commit_durably')}();
    UPDATE ${at('nodes')} n
      SET renewal = greatest(n.renewal, v_renewal),
        since = CASE WHEN v_answered > n.renewal THEN v_renewal ELSE n.since END,
        acked = CASE WHEN v_answered BETWEEN n.since AND n.renewal
          THEN greatest(n.acked, coalesce(v_applied, 0)) ELSE n.acked END
      WHERE n.node = p->>'node' RETURNING v_answered >= n.since INTO v_is_same_log;
    IF NOT FOUND THEN
      RETURN json_build_object('outcome', 'evicted');
    END IF;
    SELECT c.head INTO STRICT v_head FROM ${at('change_clock')} c;
    IF v_head - v_applied <= ${KEPT_CHANGES} THEN
      SELECT coalesce(json_agg(json_build_object(
          'sequence', c.sequence, 'kind', c.kind, 'hash', encode(c.hash, 'hex'),
          'workspaceId', c.workspace_id) ORDER BY c.sequence), '[]')
        INTO v_changes FROM ${at('changes')} c
        WHERE c.sequence > v_applied AND c.sequence <= v_head;
    END IF;
    RETURN (SELECT json_build_object(
        'outcome', 'renewed', 'isSameLog', v_is_same_log, 'head', v_head, 'changes', v_changes,
        'nodes', count(*), 'slowest', coalesce(min(n.acked), v_head))
      FROM ${at('nodes')} n);
  END`,
  )

/** A node that somebody else is changing renews, or is removed already. */
const evictNodes = (at: At) =>
  changeFunction(
    `${at('evict_nodes')}(p jsonb)`,
    'json',
    `
  BEGIN
    ${LOCK_TIMEOUT_OF_CALL}
    PERFORM ${at('commit_durably')}();
    DELETE FROM ${at('nodes')} d WHERE d.node IN (
      SELECT n.node FROM ${at('nodes')} n
        JOIN jsonb_to_recordset(p->'nodes') AS seen (node text, renewal bigint)
          ON seen.node = n.node AND seen.renewal = n.renewal
        WHERE n.acked < (p->>'sequence')::bigint
        FOR UPDATE OF n SKIP LOCKED
    );
    RETURN 'null';
  END`,
  )

const leaveNode = (at: At) =>
  changeFunction(
    `${at('leave_node')}(p jsonb)`,
    'json',
    `
  BEGIN
    ${LOCK_TIMEOUT_OF_CALL}
    DELETE FROM ${at('nodes')} n WHERE n.node = p->>'node';
    RETURN 'null';
  END`,
  )

const changePlan = (at: At) =>
  changeFunction(
    `${at('change_plan')}(p jsonb)`,
    'json',
    `
  BEGIN
    ${LOCK_TIMEOUT_OF_CALL}
    PERFORM ${at('log_changes')}('plan', NULL, p->>'workspaceId');
    RETURN (SELECT json_build_object('sequence', c.head) FROM ${at('change_clock')} c);
  END`,
  )

function triggers(names: Names): string {
  const { at, bare } = names
  const logged = (event: string, transition = '') => {
    const name = `keys_logged_${event.toLowerCase()}`
    return `
  CREATE TRIGGER ${bare(name)} AFTER ${event} ON ${at('keys')} ${transition}
    FOR EACH STATEMENT EXECUTE FUNCTION ${at('log_key_changes')}();
  ${enabledAlways(names, 'keys', name)}`
  }
  const old = 'REFERENCING OLD TABLE AS changed_keys'
  return `${logged('UPDATE', old)}${logged('DELETE', old)}${logged('TRUNCATE')}`
}
