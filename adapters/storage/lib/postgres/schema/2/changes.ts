import { EXTENDED_BEFORE_MS } from '../../../decision.ts'
import { STATE_COLUMNS } from '../../../key-columns.ts'
import type { Names } from '../../names.ts'
import { activeKeys, noteExpired, reachesLimit } from './active-keys.ts'
import { headOfLog } from './change-log.ts'
import { changeFunction, LOCK_TIMEOUT_OF_CALL, storedKeyById } from './functions.ts'
import { retiringKeys } from './lifecycle.ts'

type At = Names['at']

/**
 * The changes of keys. Each is one call, one transaction, with its guard inside.
 *
 * A change that finds its work done takes the workspace's lock as well. That writes a row, and
 * PostgreSQL flushes the log and waits for a synchronous standby only when a transaction has written
 * something. The earlier change may have waited for neither.
 */
export function changes({ at }: Names): string {
  return [insertKey, updateKey, revokeKey, rotateKey, confirmKeys].map((part) => part(at)).join('')
}

const insertKey = (at: At) =>
  changeFunction(
    `${at('insert_key')}(p jsonb)`,
    'json',
    `
  DECLARE
    v_record jsonb := p->'record';
    v_workspace text NOT NULL := v_record->>'workspace_id';
    v_limit bigint := (p->>'activeLimit')::bigint;
    v_at bigint NOT NULL := (v_record->>'created_at_ms')::bigint;
    v_seq bigint;
  BEGIN
    ${LOCK_TIMEOUT_OF_CALL}
    v_seq := ${at('lock_workspace')}(v_workspace, true);
    IF ${isErased(at)} THEN
      RETURN json_build_object('inserted', false, 'isErased', true);
    END IF;
    IF EXISTS (
      SELECT FROM ${at('keys')} k
      WHERE k.id = v_record->>'id' AND k.hash = (v_record->>'hash')::bytea
    ) OR EXISTS (
      SELECT FROM ${at('purged')} g
      WHERE g.kind = 'key' AND g.id = v_record->>'id' AND g.workspace_id = v_workspace
    ) THEN
      RETURN json_build_object('inserted', true);
    END IF;
    IF v_limit IS NOT NULL THEN
      -- Not a moment too late, or a key that still lives would not be counted.
      v_at := ${at('decided_at')}(p - 'calledAtMs', v_at, v_workspace);
      ${noteExpired(at)}
      IF ${reachesLimit(at)} THEN
        RETURN json_build_object(
          'inserted', false, 'activeKeys', ${activeKeys(at, 'v_workspace', 'v_at')});
      END IF;
    END IF;
    PERFORM ${at('store_key')}(v_record, v_workspace, v_seq);
    PERFORM ${at('store_event')}(p->'event', v_workspace, v_seq);
    RETURN json_build_object('inserted', true);
  END`,
  )

/** Whether the workspace, whose row is locked, is closed for good. */
const isErased = (at: At) =>
  `(SELECT w.is_erased FROM ${at('workspaces')} w WHERE w.workspace_id = v_workspace)`

/** No key of an erased workspace is changed but by revoking it. */
const demandOpenWorkspace = (at: At) => `IF ${isErased(at)} THEN
      RETURN json_build_object('outcome', 'not_found');
    END IF;`

/** What every change of a key sets. */
const changed = (instant: string) => `version = k.version + 1, updated_at_ms = ${instant}`

/** The key that a change is about; the change answers at once if there is none. */
const findKey = (at: At) => `SELECT k.* INTO v_key FROM ${at('keys')} k
      WHERE k.id = p->>'id' AND k.workspace_id = v_workspace;
    IF NOT FOUND THEN
      RETURN json_build_object('outcome', 'not_found');
    END IF;`

/** Whether the key is at the version that the caller has seen, and neither revoked nor replaced. */
const IS_OPEN = `k.id = v_key.id AND k.version = (p->>'version')::bigint
        AND k.revoked_at_ms IS NULL AND k.replaced_by IS NULL`

/** Whether it has ended by itself when the change is decided, which is final. */
const HAS_EXPIRED = '(k.expires_at_ms <= v_at) IS TRUE'

/** The same for an update, which must be committed before an end that it moves later. */
const HAS_EXPIRED_FOR_UPDATE = `(k.expires_at_ms <= v_at
        + CASE WHEN v_state.expires_at_ms <= k.expires_at_ms THEN 0 ELSE ${EXTENDED_BEFORE_MS} END) IS TRUE`

/** Why the key was not changed. */
const refusal = (at: At, hasExpired: string) => `(SELECT
        CASE WHEN k.revoked_at_ms IS NULL AND k.replaced_by IS NULL AND ${hasExpired}
          THEN 'expired' ELSE 'stale' END
        FROM ${at('keys')} k WHERE k.id = v_key.id)`

const hasEvent = (at: At) => `EXISTS (
      SELECT FROM ${at('events')} e WHERE e.id = p->'event'->>'id' AND e.key_id = v_key.id)`

/** The event, which no other call stores, tells that an earlier attempt was made. */
const updateKey = (at: At) =>
  changeFunction(
    `${at('update_key')}(p jsonb)`,
    'json',
    `
  DECLARE
    v_workspace text NOT NULL := p->>'workspaceId';
    v_key ${at('keys')};
    v_state ${at('keys')} := jsonb_populate_record(NULL::${at('keys')}, p->'state');
    v_updated_at bigint NOT NULL := (p->>'updatedAtMs')::bigint;
    v_at bigint;
    v_seq bigint;
    v_outcome text := 'updated';
  BEGIN
    ${LOCK_TIMEOUT_OF_CALL}
    ${findKey(at)}
    v_seq := ${at('lock_workspace')}(v_workspace, false);
    v_at := ${at('decided_at')}(p, v_updated_at, v_workspace);
    ${demandOpenWorkspace(at)}
    UPDATE ${at('keys')} k SET ${STATE_COLUMNS.map(({ name }) => `${name} = v_state.${name}`).join(', ')},
        ${changed('v_updated_at')}
      WHERE ${IS_OPEN} AND NOT ${HAS_EXPIRED_FOR_UPDATE};
    IF FOUND THEN
      PERFORM ${at('store_event')}(p->'event', v_workspace, v_seq);
    ELSIF NOT ${hasEvent(at)} THEN
      v_outcome := ${refusal(at, HAS_EXPIRED_FOR_UPDATE)};
    END IF;
    RETURN json_build_object(
      'outcome', v_outcome, 'record', ${storedKeyById(at, 'v_key.id')},
      'sequence', ${headOfLog(at)});
  END`,
  )

/**
 * No key changes its workspace, so a key that is not found before the lock would not be found after
 * it either. `isRepeat` says that an earlier attempt of the same call may have run with its answer
 * lost: then the event, which no other call stores, tells that it did.
 */
const revokeKey = (at: At) =>
  changeFunction(
    `${at('revoke_key')}(p jsonb)`,
    'json',
    `
  DECLARE
    v_workspace text NOT NULL := p->>'workspaceId';
    v_revoked_at bigint NOT NULL := (p->>'revokedAtMs')::bigint;
    v_at bigint;
    v_key ${at('keys')};
    v_has_retired boolean;
    v_seq bigint;
    v_outcome text := 'revoked';
  BEGIN
    ${LOCK_TIMEOUT_OF_CALL}
    ${findKey(at)}
    v_seq := ${at('lock_workspace')}(v_workspace, false);
    -- Not a moment too late, or the event would be missing. A retiring key was never counted.
    v_at := ${at('decided_at')}(p - 'calledAtMs', v_revoked_at, NULL);
    UPDATE ${at('keys')} k
      SET revoked_at_ms = CASE WHEN k.retires_at_ms <= v_at THEN k.retires_at_ms ELSE v_revoked_at END,
        ${changed('v_revoked_at')}
      WHERE k.id = v_key.id AND k.revoked_at_ms IS NULL
      RETURNING coalesce(k.retires_at_ms <= v_at, false) INTO v_has_retired;
    IF v_has_retired IS NOT FALSE THEN
      v_outcome := 'already_revoked';
    ELSE
      PERFORM ${at('store_event')}(p->'event', v_workspace, v_seq);
    END IF;
    IF (p->>'isRepeat')::boolean AND v_outcome = 'already_revoked' AND ${hasEvent(at)} THEN
      v_outcome := 'revoked';
    END IF;
    RETURN json_build_object(
      'outcome', v_outcome, 'record', ${storedKeyById(at, 'v_key.id')},
      'sequence', ${headOfLog(at)});
  END`,
  )

/** Writes the row of the workspace, if it has one, so that the commit waits for what was read before. */
const confirmKeys = (at: At) =>
  changeFunction(
    `${at('confirm_keys')}(p jsonb)`,
    'json',
    `
  DECLARE
    v_workspace text NOT NULL := p->>'workspaceId';
  BEGIN
    ${LOCK_TIMEOUT_OF_CALL}
    IF EXISTS (SELECT FROM ${at('workspaces')} w WHERE w.workspace_id = v_workspace) THEN
      PERFORM ${at('lock_workspace')}(v_workspace, false);
    END IF;
    RETURN json_build_object('sequence', ${headOfLog(at)});
  END`,
  )

const rotateKey = (at: At) =>
  changeFunction(
    `${at('rotate_key')}(p jsonb)`,
    'json',
    `
  DECLARE
    v_workspace text NOT NULL := p->>'workspaceId';
    v_rotated_at bigint NOT NULL := (p->>'rotatedAtMs')::bigint;
    v_at bigint;
    v_retires_at bigint := (p->>'retiresAtMs')::bigint;
    v_limit bigint := (p->>'retiringLimit')::bigint;
    v_replacement jsonb NOT NULL := p->'replacement';
    v_key ${at('keys')};
    v_new ${at('keys')};
    v_seq bigint;
  BEGIN
    ${LOCK_TIMEOUT_OF_CALL}
    ${findKey(at)}
    v_seq := ${at('lock_workspace')}(v_workspace, false);
    v_at := ${at('decided_at')}(p, v_rotated_at, v_workspace);
    ${demandOpenWorkspace(at)}
    IF v_retires_at IS NOT NULL AND ${retiringKeys(at)} >= v_limit
      AND EXISTS (SELECT FROM ${at('keys')} k WHERE ${IS_OPEN} AND NOT ${HAS_EXPIRED})
    THEN
      RETURN json_build_object(
        'outcome', 'too_many_retiring', 'retiringKeys', ${retiringKeys(at)});
    END IF;
    UPDATE ${at('keys')} k
      SET revoked_at_ms = CASE WHEN v_retires_at IS NULL THEN v_rotated_at END,
        retires_at_ms = v_retires_at, replaced_by = v_replacement->>'id', ${changed('v_rotated_at')}
      WHERE ${IS_OPEN} AND NOT ${HAS_EXPIRED};
    IF FOUND THEN
      PERFORM ${at('store_key')}(
        v_replacement || jsonb_build_object('replaces', v_key.id), v_workspace, v_seq);
      PERFORM ${at('store_event')}(p->'event', v_workspace, v_seq);
    END IF;
    SELECT k.* INTO STRICT v_key FROM ${at('keys')} k WHERE k.id = v_key.id;
    SELECT k.* INTO v_new FROM ${at('keys')} k
      WHERE k.id = v_key.replaced_by AND k.id = v_replacement->>'id'
        AND k.hash = (v_replacement->>'hash')::bytea;
    IF NOT FOUND THEN
      RETURN json_build_object(
        'outcome', ${refusal(at, HAS_EXPIRED)}, 'record', ${storedKeyById(at, 'v_key.id')});
    END IF;
    RETURN json_build_object('outcome', 'rotated',
      'replaced', ${storedKeyById(at, 'v_key.id')},
      'replacement', ${storedKeyById(at, 'v_new.id')},
      'sequence', ${headOfLog(at)});
  END`,
  )
