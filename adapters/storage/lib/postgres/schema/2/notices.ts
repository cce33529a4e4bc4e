import { earlyRevocation, nextNotice } from '../../../notice-sql.ts'
import type { Names } from '../../names.ts'
import { changeFunction, LOCK_TIMEOUT_OF_CALL } from './functions.ts'

type At = Names['at']

/** When the log next tells of the end of each key that has one, kept by triggers. */
export function noticeTable({ at, bare }: Names): string {
  const ends = (row: string) =>
    `(${row}.expires_at_ms, ${row}.retires_at_ms, ${earlyRevocation(row)})`
  return `
  CREATE TABLE ${at('notices')} (
    id text COLLATE "C" PRIMARY KEY REFERENCES ${at('keys')} (id) ON DELETE CASCADE,
    due_at_ms bigint NOT NULL
  );
  CREATE INDEX ${bare('notices_by_time')} ON ${at('notices')} (due_at_ms);

  CREATE FUNCTION ${at('plan_notice')}() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp
  AS $body$
  DECLARE
    v_due bigint := ${nextNotice('NEW', 'NEW.updated_at_ms')};
  BEGIN
    IF v_due IS NULL THEN
      DELETE FROM ${at('notices')} n WHERE n.id = NEW.id;
    ELSE
      INSERT INTO ${at('notices')} AS n VALUES (NEW.id, v_due)
        ON CONFLICT (id) DO UPDATE SET due_at_ms = excluded.due_at_ms;
    END IF;
    RETURN NULL;
  END
  $body$;
  CREATE TRIGGER ${bare('keys_notice')} AFTER INSERT ON ${at('keys')}
    FOR EACH ROW WHEN (NEW.expires_at_ms IS NOT NULL OR NEW.retires_at_ms IS NOT NULL)
    EXECUTE FUNCTION ${at('plan_notice')}();
  CREATE TRIGGER ${bare('keys_notice_again')} AFTER UPDATE ON ${at('keys')}
    FOR EACH ROW WHEN (${ends('NEW')} IS DISTINCT FROM ${ends('OLD')}
      AND (NEW.expires_at_ms IS NOT NULL OR NEW.retires_at_ms IS NOT NULL
        OR OLD.expires_at_ms IS NOT NULL))
    EXECUTE FUNCTION ${at('plan_notice')}();`
}

/** The keys whose notice is due, as a list in JSON. */
export function dueNotices(at: At, atMs: string, limit: string): string {
  return `SELECT pg_catalog.json_agg(pg_catalog.json_build_object(
      'dueAtMs', d.due_at_ms, 'record', (SELECT ${at('stored_key')}(k, u)
        FROM ${at('keys')} k JOIN ${at('usage')} u ON u.id = k.id WHERE k.id = d.id))
      ORDER BY d.due_at_ms)
    FROM (SELECT n.id, n.due_at_ms FROM ${at('notices')} n
      WHERE n.due_at_ms <= ${atMs} ORDER BY n.due_at_ms LIMIT ${limit}) d`
}

/** Workspaces are locked in the order of their ids, so that two writers never deadlock. */
export const storeNotices = ({ at }: Names) =>
  changeFunction(
    `${at('store_notices')}(p jsonb)`,
    'json',
    `
  DECLARE
    v_notice jsonb;
    v_seq bigint;
    v_stored bigint := 0;
  BEGIN
    ${LOCK_TIMEOUT_OF_CALL}
    FOR v_notice IN
      SELECT n.value FROM jsonb_array_elements(p->'notices') n
      ORDER BY n.value->>'workspaceId' COLLATE "C", n.value->>'id' COLLATE "C"
    LOOP
      CONTINUE WHEN NOT EXISTS (SELECT FROM ${at('notices')} n
        WHERE n.id = v_notice->>'id' AND n.due_at_ms = (v_notice->>'dueAtMs')::bigint);
      v_seq := ${at('lock_workspace')}(v_notice->>'workspaceId', true);
      PERFORM FROM ${at('notices')} n JOIN ${at('keys')} k ON k.id = n.id
        WHERE n.id = v_notice->>'id' AND n.due_at_ms = (v_notice->>'dueAtMs')::bigint
          AND k.workspace_id = v_notice->>'workspaceId'
          AND k.version = (v_notice->>'version')::bigint
        FOR UPDATE OF n;
      CONTINUE WHEN NOT FOUND;
      IF v_notice->>'nextAtMs' IS NULL THEN
        DELETE FROM ${at('notices')} n WHERE n.id = v_notice->>'id';
      ELSE
        UPDATE ${at('notices')} n SET due_at_ms = (v_notice->>'nextAtMs')::bigint
          WHERE n.id = v_notice->>'id';
      END IF;
      -- A trigger of the host may have swallowed that, and the notice would be written again.
      IF NOT FOUND THEN
        RAISE EXCEPTION 'miftah: the notice could not be moved'
          USING ERRCODE = 'restrict_violation';
      END IF;
      PERFORM ${at('store_event')}(v_notice->'event', v_notice->>'workspaceId', v_seq);
      v_stored := v_stored + 1;
    END LOOP;
    RETURN json_build_object('stored', v_stored);
  END`,
  )
