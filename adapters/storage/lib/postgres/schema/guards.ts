import { STEP } from './fragments.ts'

/** A change that does nothing but put the pseudonym in the place of people, and count that. */
const ONLY_PSEUDONYMS = `(
      (pg_catalog.to_jsonb(NEW)
          - '{creator_id, creator_name, paused_by_id, paused_by_name, version}'::pg_catalog.text[])
        = (pg_catalog.to_jsonb(OLD)
          - '{creator_id, creator_name, paused_by_id, paused_by_name, version}'::pg_catalog.text[])
      AND ((NEW.creator_id, NEW.creator_name)
          IS NOT DISTINCT FROM (OLD.creator_id, OLD.creator_name)
        OR (OLD.creator_id IS NOT NULL
          AND NEW.creator_id = 'miftah:erased' AND NEW.creator_name = 'Erased'))
      AND ((NEW.paused_by_id, NEW.paused_by_name)
          IS NOT DISTINCT FROM (OLD.paused_by_id, OLD.paused_by_name)
        OR (OLD.paused_by_id IS NOT NULL
          AND NEW.paused_by_id = 'miftah:erased' AND NEW.paused_by_name = 'Erased'))) IS TRUE`

/** The columns that stay what the key was created with: compared as a list, which is quick. */
const identity = (row: 'NEW' | 'OLD') => `(${row}.id, ${row}.hash, ${row}.workspace_id, ${row}.seq,
      ${row}.environment, ${row}.prefix, ${row}.creator_id, ${row}.creator_name, ${row}.created_at_ms,
      ${row}.replaces, ${row}.format)`

/**
 * What no program may do, ours included. The guards look at a row after all other triggers, so that
 * no trigger of another program can slip a change past them. They are enabled always, so that they
 * hold under `session_replication_role = replica` too.
 */
export const GUARDS = `
CREATE FUNCTION miftah.refuse() RETURNS trigger
  ${STEP}
BEGIN
  RAISE EXCEPTION 'miftah: % of % is refused: %', TG_OP, TG_TABLE_NAME, TG_ARGV[0]
    USING ERRCODE = 'restrict_violation';
END
$body$;

CREATE TRIGGER keys_identity AFTER UPDATE ON miftah.keys
  FOR EACH ROW WHEN (
    ${identity('NEW')}
    IS DISTINCT FROM ${identity('OLD')}
    AND NOT ${ONLY_PSEUDONYMS})
  EXECUTE FUNCTION miftah.refuse('a key keeps what it was created with');
ALTER TABLE miftah.keys ENABLE ALWAYS TRIGGER keys_identity;

CREATE TRIGGER keys_revocation AFTER UPDATE ON miftah.keys
  FOR EACH ROW WHEN (
    OLD.revoked_at_ms IS NOT NULL AND NEW IS DISTINCT FROM OLD
    AND NOT ${ONLY_PSEUDONYMS})
  EXECUTE FUNCTION miftah.refuse('a revocation is final');
ALTER TABLE miftah.keys ENABLE ALWAYS TRIGGER keys_revocation;

-- Who revokes a key by hand need not count: a revoked key never changes again.
CREATE TRIGGER keys_version AFTER UPDATE ON miftah.keys
  FOR EACH ROW WHEN (
    NEW.version <> OLD.version + 1 AND NEW IS DISTINCT FROM OLD
    AND (NEW.version <> OLD.version OR NEW.revoked_at_ms IS NULL))
  EXECUTE FUNCTION miftah.refuse('every change of a key adds 1 to its version');
ALTER TABLE miftah.keys ENABLE ALWAYS TRIGGER keys_version;

CREATE TRIGGER keys_replacement AFTER UPDATE ON miftah.keys
  FOR EACH ROW WHEN (
    OLD.replaced_by IS NOT NULL
    AND (NEW.replaced_by, NEW.name, NEW.note, NEW.expires_at_ms, NEW.paused_at_ms,
        NEW.paused_by_id, NEW.paused_by_name, NEW.metadata)
      IS DISTINCT FROM
      (OLD.replaced_by, OLD.name, OLD.note, OLD.expires_at_ms, OLD.paused_at_ms,
        OLD.paused_by_id, OLD.paused_by_name, OLD.metadata)
    AND NOT ${ONLY_PSEUDONYMS})
  EXECUTE FUNCTION miftah.refuse('a key is replaced once, and then only loses rights');
ALTER TABLE miftah.keys ENABLE ALWAYS TRIGGER keys_replacement;

-- Networks are compared as people wrote them: only the core knows which contains which.
CREATE FUNCTION miftah.refuse_widening() RETURNS trigger
  ${STEP}
BEGIN
  IF NOT NEW.scopes <@ OLD.scopes
    OR (NEW.networks = '"any"' AND OLD.networks <> '"any"')
    OR EXISTS (SELECT FROM jsonb_each(OLD.resources) o
      WHERE (NEW.resources->o.key <@ o.value) IS NOT TRUE)
  THEN
    RAISE EXCEPTION 'miftah: % of % is refused: a replaced key only loses rights',
      TG_OP, TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NEW;
END
$body$;

CREATE TRIGGER keys_widening AFTER UPDATE ON miftah.keys
  FOR EACH ROW WHEN (
    OLD.replaced_by IS NOT NULL
    AND (NEW.scopes, NEW.resources, NEW.networks)
      IS DISTINCT FROM (OLD.scopes, OLD.resources, OLD.networks))
  EXECUTE FUNCTION miftah.refuse_widening();
ALTER TABLE miftah.keys ENABLE ALWAYS TRIGGER keys_widening;

CREATE TRIGGER keys_retirement AFTER UPDATE ON miftah.keys
  FOR EACH ROW WHEN (
    OLD.retires_at_ms IS NOT NULL AND (NEW.retires_at_ms <= OLD.retires_at_ms) IS NOT TRUE)
  EXECUTE FUNCTION miftah.refuse('the end of an overlap never moves later');
ALTER TABLE miftah.keys ENABLE ALWAYS TRIGGER keys_retirement;

CREATE TRIGGER keys_kept BEFORE DELETE ON miftah.keys
  FOR EACH ROW WHEN (NOT (
    OLD.revoked_at_ms IS NOT NULL
    OR coalesce(LEAST(OLD.retires_at_ms, OLD.expires_at_ms)::pg_catalog.float8
      <= pg_catalog.date_part('epoch', pg_catalog.clock_timestamp()) * 1000, false)))
  EXECUTE FUNCTION miftah.refuse('a key that is not dead is kept');
ALTER TABLE miftah.keys ENABLE ALWAYS TRIGGER keys_kept;

CREATE TRIGGER keys_never_emptied BEFORE TRUNCATE ON miftah.keys
  FOR EACH STATEMENT EXECUTE FUNCTION miftah.refuse('its rows are kept');
ALTER TABLE miftah.keys ENABLE ALWAYS TRIGGER keys_never_emptied;

CREATE TRIGGER usage_forward AFTER UPDATE ON miftah.usage
  FOR EACH ROW WHEN (NEW.id <> OLD.id OR NEW.uses < OLD.uses)
  EXECUTE FUNCTION miftah.refuse('uses are only counted up');
ALTER TABLE miftah.usage ENABLE ALWAYS TRIGGER usage_forward;

CREATE TRIGGER usage_never_emptied BEFORE TRUNCATE ON miftah.usage
  FOR EACH STATEMENT EXECUTE FUNCTION miftah.refuse('its rows are kept');
ALTER TABLE miftah.usage ENABLE ALWAYS TRIGGER usage_never_emptied;

CREATE TRIGGER workspaces_forward AFTER UPDATE ON miftah.workspaces
  FOR EACH ROW WHEN (
    NEW.workspace_id <> OLD.workspace_id OR NEW.changes < OLD.changes
    OR (OLD.is_erased AND NOT NEW.is_erased))
  EXECUTE FUNCTION miftah.refuse(
    'changes are only counted up, and an erased workspace is closed for good');
ALTER TABLE miftah.workspaces ENABLE ALWAYS TRIGGER workspaces_forward;

CREATE TRIGGER workspaces_kept BEFORE DELETE ON miftah.workspaces
  FOR EACH ROW EXECUTE FUNCTION miftah.refuse('its rows are kept');
ALTER TABLE miftah.workspaces ENABLE ALWAYS TRIGGER workspaces_kept;

CREATE TRIGGER workspaces_never_emptied BEFORE TRUNCATE ON miftah.workspaces
  FOR EACH STATEMENT EXECUTE FUNCTION miftah.refuse('its rows are kept');
ALTER TABLE miftah.workspaces ENABLE ALWAYS TRIGGER workspaces_never_emptied;

CREATE TRIGGER events_append_only AFTER UPDATE ON miftah.events
  FOR EACH ROW WHEN (NOT (
    (pg_catalog.to_jsonb(NEW) - '{actor_id,actor_name}'::pg_catalog.text[])
      = (pg_catalog.to_jsonb(OLD) - '{actor_id,actor_name}'::pg_catalog.text[])
    AND ((NEW.actor_id, NEW.actor_name) IS NOT DISTINCT FROM (OLD.actor_id, OLD.actor_name)
      OR (OLD.actor_id IS NOT NULL
        AND NEW.actor_id = 'miftah:erased' AND NEW.actor_name = 'Erased'))) IS TRUE)
  EXECUTE FUNCTION miftah.refuse('the audit log is only added to');
ALTER TABLE miftah.events ENABLE ALWAYS TRIGGER events_append_only;

-- A condition of a trigger cannot look into another table.
CREATE FUNCTION miftah.keep_until_delivered() RETURNS trigger
  ${STEP}
BEGIN
  IF EXISTS (SELECT FROM miftah.outbox o WHERE o.event_id = OLD.id) THEN
    RAISE EXCEPTION 'miftah: DELETE of % is refused: an event is kept until it is delivered',
      TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN OLD;
END
$body$;

CREATE TRIGGER events_kept BEFORE DELETE ON miftah.events
  FOR EACH ROW EXECUTE FUNCTION miftah.keep_until_delivered();
ALTER TABLE miftah.events ENABLE ALWAYS TRIGGER events_kept;

CREATE TRIGGER events_never_emptied BEFORE TRUNCATE ON miftah.events
  FOR EACH STATEMENT EXECUTE FUNCTION miftah.refuse('its rows are kept');
ALTER TABLE miftah.events ENABLE ALWAYS TRIGGER events_never_emptied;`
