import type { Names } from '../../names.ts'
import { activeKeys } from './active-keys.ts'
import { changeFunction, LOCK_TIMEOUT_OF_CALL, storedKeyById } from './functions.ts'

type At = Names['at']

/**
 * The changes of keys. Each is one call, one transaction, with its guard inside.
 *
 * A change that finds its work done takes the workspace's lock as well. That writes a row, and
 * PostgreSQL flushes the log and waits for a synchronous standby only when a transaction has written
 * something. The earlier change may have waited for neither.
 */
export function changes({ at }: Names): string {
  return `${insertKey(at)}${revokeKey(at)}${rotateKey(at)}`
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
    v_seq bigint;
    v_active bigint;
  BEGIN
    ${LOCK_TIMEOUT_OF_CALL}
    v_seq := ${at('lock_workspace')}(v_workspace, true);
    IF EXISTS (
      SELECT FROM ${at('keys')} k
      WHERE k.id = v_record->>'id' AND k.hash = (v_record->>'hash')::bytea
    ) THEN
      RETURN json_build_object('inserted', true);
    END IF;
    IF v_limit IS NOT NULL THEN
      v_active := ${activeKeys(at, 'v_workspace')};
      IF v_active >= v_limit THEN
        RETURN json_build_object('inserted', false, 'activeKeys', v_active);
      END IF;
    END IF;
    PERFORM ${at('store_key')}(v_record, v_workspace, v_seq);
    PERFORM ${at('store_event')}(p->'event', v_workspace, v_seq);
    RETURN json_build_object('inserted', true);
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
    v_key ${at('keys')};
    v_seq bigint;
    v_outcome text := 'revoked';
  BEGIN
    ${LOCK_TIMEOUT_OF_CALL}
    SELECT k.* INTO v_key FROM ${at('keys')} k
      WHERE k.id = p->>'id' AND k.workspace_id = v_workspace;
    IF NOT FOUND THEN
      RETURN json_build_object('outcome', 'not_found');
    END IF;
    v_seq := ${at('lock_workspace')}(v_workspace, false);
    UPDATE ${at('keys')} k SET revoked_at_ms = v_revoked_at
      WHERE k.id = v_key.id AND k.revoked_at_ms IS NULL;
    IF FOUND THEN
      PERFORM ${at('store_event')}(p->'event', v_workspace, v_seq);
    ELSE
      v_outcome := 'already_revoked';
    END IF;
    IF (p->>'isRepeat')::boolean AND v_outcome = 'already_revoked' AND EXISTS (
      SELECT FROM ${at('events')} e WHERE e.id = p->'event'->>'id' AND e.key_id = v_key.id
    ) THEN
      v_outcome := 'revoked';
    END IF;
    RETURN json_build_object(
      'outcome', v_outcome, 'record', ${storedKeyById(at, 'v_key.id')});
  END`,
  )

const rotateKey = (at: At) =>
  changeFunction(
    `${at('rotate_key')}(p jsonb)`,
    'json',
    `
  DECLARE
    v_workspace text NOT NULL := p->>'workspaceId';
    v_revoked_at bigint NOT NULL := (p->>'revokedAtMs')::bigint;
    v_replacement jsonb NOT NULL := p->'replacement';
    v_old ${at('keys')};
    v_new ${at('keys')};
    v_seq bigint;
  BEGIN
    ${LOCK_TIMEOUT_OF_CALL}
    SELECT k.* INTO v_old FROM ${at('keys')} k
      WHERE k.id = p->>'id' AND k.workspace_id = v_workspace;
    IF NOT FOUND THEN
      RETURN json_build_object('outcome', 'not_found');
    END IF;
    v_seq := ${at('lock_workspace')}(v_workspace, false);
    UPDATE ${at('keys')} k
      SET revoked_at_ms = v_revoked_at, replaced_by = v_replacement->>'id'
      WHERE k.id = v_old.id AND k.revoked_at_ms IS NULL;
    IF FOUND THEN
      PERFORM ${at('store_key')}(
        v_replacement || jsonb_build_object('replaces', v_old.id), v_workspace, v_seq);
      PERFORM ${at('store_event')}(p->'event', v_workspace, v_seq);
    END IF;
    SELECT k.* INTO STRICT v_old FROM ${at('keys')} k WHERE k.id = v_old.id;
    SELECT k.* INTO v_new FROM ${at('keys')} k
      WHERE k.id = v_old.replaced_by AND k.id = v_replacement->>'id'
        AND k.hash = (v_replacement->>'hash')::bytea;
    IF NOT FOUND THEN
      RETURN json_build_object('outcome', 'already_revoked');
    END IF;
    RETURN json_build_object('outcome', 'rotated',
      'replaced', ${storedKeyById(at, 'v_old.id')},
      'replacement', ${storedKeyById(at, 'v_new.id')});
  END`,
  )
