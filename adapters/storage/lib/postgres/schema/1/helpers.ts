import type { Names } from '../../names.ts'

/** The steps of which the changes of version 1 are made. Released, and so never changed. */
export function helpers({ at }: Names): string {
  return `
  CREATE FUNCTION ${at('lock_workspace')}(p_workspace text, p_is_new boolean) RETURNS bigint LANGUAGE plpgsql
    SET search_path = pg_catalog, pg_temp
  AS $body$
  DECLARE v_seq bigint;
  BEGIN
    IF current_setting('synchronous_commit') IN ('off', 'local') THEN
      PERFORM set_config('synchronous_commit', 'on', true);
    END IF;
    IF p_is_new THEN
      INSERT INTO ${at('workspaces')} AS w (workspace_id, changes) VALUES (p_workspace, 1)
        ON CONFLICT (workspace_id) DO UPDATE SET changes = w.changes + 1
        RETURNING w.changes INTO STRICT v_seq;
    ELSE
      UPDATE ${at('workspaces')} w SET changes = w.changes + 1
        WHERE w.workspace_id = p_workspace RETURNING w.changes INTO STRICT v_seq;
    END IF;
    RETURN v_seq;
  END
  $body$;
  CREATE FUNCTION ${at('store_key')}(p jsonb, p_workspace text, p_seq bigint, p_replaces text) RETURNS void LANGUAGE plpgsql
    SET search_path = pg_catalog, pg_temp
  AS $body$
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
  END
  $body$;
  CREATE FUNCTION ${at('store_event')}(p jsonb, p_workspace text, p_seq bigint) RETURNS void LANGUAGE plpgsql
    SET search_path = pg_catalog, pg_temp
  AS $body$
  BEGIN
    IF p->>'workspaceId' IS DISTINCT FROM p_workspace THEN
      RAISE EXCEPTION 'miftah: the event is of another workspace' USING ERRCODE = 'check_violation';
    END IF;
    INSERT INTO ${at('events')} VALUES (
      p->>'id', p_workspace, p_seq, p->>'type', (p->>'atMs')::bigint,
      p->'actor'->>'id', p->'actor'->>'name', p->>'keyId', p->'data'
    );
    INSERT INTO ${at('outbox')} (event_id) VALUES (p->>'id');
  END
  $body$;`
}
