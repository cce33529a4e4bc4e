import type { Names } from '../../names.ts'

/** The functions of version 1 that change keys. Released, and so never changed. */
export function changes({ at }: Names): string {
  return `
  CREATE FUNCTION ${at('insert_key')}(p jsonb) RETURNS json LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp SET lock_timeout = '2s'
  AS $body$
  DECLARE
    v_record jsonb := p->'record';
    v_workspace text NOT NULL := v_record->>'workspaceId';
    v_limit bigint := (p->>'activeLimit')::bigint;
    v_seq bigint;
    v_active bigint;
  BEGIN
    PERFORM set_config(
      'lock_timeout', coalesce(p->>'lockTimeoutMs', current_setting('lock_timeout')), true);
    v_seq := ${at('lock_workspace')}(v_workspace, true);
    IF EXISTS (
      SELECT FROM ${at('keys')} k
      WHERE k.id = v_record->>'id' AND k.hash = decode(v_record->>'hash', 'hex')
    ) THEN
      RETURN json_build_object('inserted', true);
    END IF;
    IF v_limit IS NOT NULL THEN
      SELECT count(*) INTO v_active FROM (
        SELECT FROM ${at('keys')} k
        WHERE k.workspace_id = v_workspace AND k.revoked_at_ms IS NULL LIMIT v_limit
      ) AS up_to_limit;
      IF v_active >= v_limit THEN
        SELECT count(*) INTO v_active FROM ${at('keys')} k
          WHERE k.workspace_id = v_workspace AND k.revoked_at_ms IS NULL;
        RETURN json_build_object('inserted', false, 'activeKeys', v_active);
      END IF;
    END IF;
    PERFORM ${at('store_key')}(v_record, v_workspace, v_seq, v_record->>'replaces');
    PERFORM ${at('store_event')}(p->'event', v_workspace, v_seq);
    RETURN json_build_object('inserted', true);
  END
  $body$;
  CREATE FUNCTION ${at('revoke_key')}(p jsonb) RETURNS json LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp SET lock_timeout = '2s'
  AS $body$
  DECLARE
    v_workspace text NOT NULL := p->>'workspaceId';
    v_revoked_at bigint NOT NULL := (p->>'revokedAtMs')::bigint;
    v_key ${at('keys')};
    v_seq bigint;
    v_outcome text := 'revoked';
  BEGIN
    PERFORM set_config(
      'lock_timeout', coalesce(p->>'lockTimeoutMs', current_setting('lock_timeout')), true);
    SELECT k.* INTO v_key FROM ${at('keys')} k
      WHERE k.id = p->>'id' AND k.workspace_id = v_workspace;
    IF NOT FOUND THEN
      RETURN json_build_object('outcome', 'not_found');
    END IF;
    IF v_key.revoked_at_ms IS NULL THEN
      v_seq := ${at('lock_workspace')}(v_workspace, false);
      UPDATE ${at('keys')} k SET revoked_at_ms = v_revoked_at
        WHERE k.id = v_key.id AND k.revoked_at_ms IS NULL;
      IF FOUND THEN
        PERFORM ${at('store_event')}(p->'event', v_workspace, v_seq);
      ELSE
        v_outcome := 'already_revoked';
      END IF;
      SELECT k.* INTO STRICT v_key FROM ${at('keys')} k WHERE k.id = v_key.id;
    ELSE
      v_outcome := 'already_revoked';
    END IF;
    IF (p->>'isRepeat')::boolean AND v_outcome = 'already_revoked' AND EXISTS (
      SELECT FROM ${at('events')} e WHERE e.id = p->'event'->>'id' AND e.key_id = v_key.id
    ) THEN
      v_outcome := 'revoked';
    END IF;
    RETURN json_build_object('outcome', v_outcome, 'record', ${at('key_record')}(v_key));
  END
  $body$;
  CREATE FUNCTION ${at('rotate_key')}(p jsonb) RETURNS json LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp SET lock_timeout = '2s'
  AS $body$
  DECLARE
    v_workspace text NOT NULL := p->>'workspaceId';
    v_revoked_at bigint NOT NULL := (p->>'revokedAtMs')::bigint;
    v_replacement jsonb NOT NULL := p->'replacement';
    v_old ${at('keys')};
    v_new ${at('keys')};
    v_seq bigint;
  BEGIN
    PERFORM set_config(
      'lock_timeout', coalesce(p->>'lockTimeoutMs', current_setting('lock_timeout')), true);
    SELECT k.* INTO v_old FROM ${at('keys')} k
      WHERE k.id = p->>'id' AND k.workspace_id = v_workspace;
    IF NOT FOUND THEN
      RETURN json_build_object('outcome', 'not_found');
    END IF;
    IF v_old.revoked_at_ms IS NULL THEN
      v_seq := ${at('lock_workspace')}(v_workspace, false);
      UPDATE ${at('keys')} k
        SET revoked_at_ms = v_revoked_at, replaced_by = v_replacement->>'id'
        WHERE k.id = v_old.id AND k.revoked_at_ms IS NULL;
      IF FOUND THEN
        PERFORM ${at('store_key')}(v_replacement, v_workspace, v_seq, v_old.id);
        PERFORM ${at('store_event')}(p->'event', v_workspace, v_seq);
      END IF;
      SELECT k.* INTO STRICT v_old FROM ${at('keys')} k WHERE k.id = v_old.id;
    END IF;
    SELECT k.* INTO v_new FROM ${at('keys')} k
      WHERE k.id = v_old.replaced_by AND k.id = v_replacement->>'id'
        AND k.hash = decode(v_replacement->>'hash', 'hex');
    IF NOT FOUND THEN
      RETURN json_build_object('outcome', 'already_revoked');
    END IF;
    RETURN json_build_object('outcome', 'rotated',
      'replaced', ${at('key_record')}(v_old), 'replacement', ${at('key_record')}(v_new));
  END
  $body$;`
}
