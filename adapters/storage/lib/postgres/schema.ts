import { grantsTo } from '../sql/rights.ts'

/** The version of the tables that this release works with. */
export const SCHEMA_VERSION = 1

/** The tables that a version of miftah before 1 made, with a prefix and without. */
const OLD_TABLES = ['schema_version', 'miftah_schema_version']

/** A value in SQL: whether a schema has tables of a version of miftah before 1. */
export function hasOldTables(schema: string): string {
  return `EXISTS (SELECT FROM pg_catalog.pg_class c
    JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = '${schema}' AND c.relname IN ('${OLD_TABLES.join("', '")}'))`
}

/**
 * Creates the tables, or does nothing where they are: one statement, which any pool can run and which happens
 * whole or not at all. Under the advisory lock a second process waits, and finds them there.
 */
export function migrationScript(schema: string): string {
  return `DO $miftah$
DECLARE
  v_path text := current_setting('search_path');
  v_version integer;
BEGIN
  PERFORM set_config('search_path', 'pg_catalog, pg_temp', true);
  PERFORM set_config('lock_timeout', '60s', true);
  PERFORM set_config('synchronous_commit', 'on', true);
  PERFORM pg_advisory_xact_lock(hashtextextended('miftah ${schema}', 0));
  IF current_setting('server_version_num')::integer < 140000 THEN
    RAISE EXCEPTION 'miftah: PostgreSQL 14 or newer is needed';
  END IF;
  IF current_setting('server_encoding') <> 'UTF8' THEN
    RAISE EXCEPTION 'miftah: the database must be encoded in UTF8';
  END IF;
  IF ${hasOldTables(schema)} THEN
    RAISE EXCEPTION 'miftah: the schema "${schema}" has tables made by a version before 1: use a new schema';
  END IF;
  IF NOT EXISTS (SELECT FROM pg_namespace WHERE nspname = '${schema}') THEN
    CREATE SCHEMA "${schema}";
  END IF;
  IF to_regclass('"${schema}".miftah_schema') IS NULL THEN
${tables(`"${schema}"`)}
  END IF;
  SELECT version INTO STRICT v_version FROM "${schema}".miftah_schema;
  IF v_version > ${SCHEMA_VERSION} THEN
    RAISE EXCEPTION 'miftah: the schema is at version %, newer than ${SCHEMA_VERSION}', v_version;
  END IF;
  PERFORM set_config('search_path', v_path, true);
END
$miftah$;`
}

/** The rights of a role that serves requests; with `erases`, also to erase and purge. */
export function grantScript(schema: string, role: string, erases: boolean): string {
  const grantee = `"${role.replaceAll('"', '""')}"`
  const grants = grantsTo(grantee, (table) => `"${schema}".miftah_${table}`, erases)
  return [`GRANT USAGE ON SCHEMA "${schema}" TO ${grantee};`, ...grants].join('\n')
}

/*
 * Instants are milliseconds since the epoch. Every text has the collation "C": an index in the order of a locale
 * misses rows once the system's library sorts otherwise.
 */
const tables = (schema: string) => `
CREATE TABLE ${schema}.miftah_schema (version integer NOT NULL);
INSERT INTO ${schema}.miftah_schema VALUES (1);

-- One row for each workspace that was ever written or closed. revision grows with each write, by as
-- many places as its keys and events take; added, by the keys that begin to count or last longer.
CREATE TABLE ${schema}.miftah_workspaces (
  id text COLLATE "C" PRIMARY KEY,
  revision bigint NOT NULL,
  added bigint NOT NULL,
  is_erased boolean NOT NULL DEFAULT false
) WITH (fillfactor = 50);

-- The hash of a secret is the only thing that is kept of it.
CREATE TABLE ${schema}.miftah_keys (
  id text COLLATE "C" PRIMARY KEY,
  hash bytea NOT NULL UNIQUE CHECK (octet_length(hash) = 32),
  workspace_id text COLLATE "C" NOT NULL,
  place bigint NOT NULL,
  edition bigint NOT NULL,
  name text COLLATE "C" NOT NULL,
  note text COLLATE "C",
  environment text COLLATE "C" NOT NULL CHECK (environment IN ('live', 'test')),
  scopes text[] COLLATE "C" NOT NULL,
  resources jsonb NOT NULL CHECK (jsonb_typeof(resources) = 'object'),
  networks jsonb NOT NULL CHECK (networks = '"any"' OR jsonb_typeof(networks) = 'array'),
  prefix text COLLATE "C" NOT NULL,
  creator_id text COLLATE "C" NOT NULL,
  creator_name text COLLATE "C" NOT NULL,
  created_at_ms bigint NOT NULL,
  revoked_at_ms bigint,
  replaces text COLLATE "C" UNIQUE,
  replaced_by text COLLATE "C",
  version bigint NOT NULL CHECK (version > 0),
  updated_at_ms bigint NOT NULL,
  expires_at_ms bigint,
  paused_at_ms bigint,
  paused_by_id text COLLATE "C",
  paused_by_name text COLLATE "C",
  retires_at_ms bigint,
  metadata jsonb NOT NULL CHECK (jsonb_typeof(metadata) = 'object'),
  format text COLLATE "C",
  notice_at_ms bigint,
  written_at_ms bigint NOT NULL DEFAULT (extract(epoch FROM clock_timestamp()) * 1000)::bigint,
  UNIQUE (workspace_id, place)
);

-- The keys of a workspace in their order, and those that have not expired, for counting.
CREATE INDEX miftah_keys_living ON ${schema}.miftah_keys (workspace_id, place)
  WHERE revoked_at_ms IS NULL;
CREATE INDEX miftah_keys_revoked ON ${schema}.miftah_keys (workspace_id, place)
  WHERE revoked_at_ms IS NOT NULL;
CREATE INDEX miftah_keys_expiry ON ${schema}.miftah_keys (workspace_id, expires_at_ms)
  WHERE revoked_at_ms IS NULL;

-- What finds due notices, the keys of a person, and dead keys.
CREATE INDEX miftah_keys_notice ON ${schema}.miftah_keys (notice_at_ms) WHERE notice_at_ms IS NOT NULL;
CREATE INDEX miftah_keys_creator ON ${schema}.miftah_keys (creator_id);
CREATE INDEX miftah_keys_pauser ON ${schema}.miftah_keys (paused_by_id) WHERE paused_by_id IS NOT NULL;
CREATE INDEX miftah_keys_end ON ${schema}.miftah_keys ((least(revoked_at_ms, retires_at_ms, expires_at_ms)))
  WHERE least(revoked_at_ms, retires_at_ms, expires_at_ms) IS NOT NULL AND format IS NULL;

-- In a table of its own, so that counting uses leaves the rows of keys alone. The foreign key removes
-- what is counted while its key is deleted.
CREATE TABLE ${schema}.miftah_usage (
  key_id text COLLATE "C" PRIMARY KEY REFERENCES ${schema}.miftah_keys (id) ON DELETE CASCADE,
  uses bigint NOT NULL CHECK (uses >= 0),
  last_used_at_ms bigint
) WITH (fillfactor = 85);

-- The requests of each key by the hour since the epoch, and by outcome.
CREATE TABLE ${schema}.miftah_hourly_usage (
  key_id text COLLATE "C" NOT NULL REFERENCES ${schema}.miftah_usage (key_id) ON DELETE CASCADE,
  hour bigint NOT NULL,
  outcome smallint NOT NULL,
  count bigint NOT NULL CHECK (count > 0),
  PRIMARY KEY (key_id, hour, outcome)
) WITH (fillfactor = 85);
CREATE INDEX miftah_hourly_usage_hour ON ${schema}.miftah_hourly_usage (hour);

-- The last batch of each process that counts uses, by which a repeat is recognised.
CREATE TABLE ${schema}.miftah_writers (
  id text COLLATE "C" PRIMARY KEY,
  sequence bigint NOT NULL,
  written_at_ms bigint NOT NULL
);

-- The audit log, and what of it is still to be delivered. position is filled while the row of the
-- workspace is locked, so it has the order of each workspace.
CREATE TABLE ${schema}.miftah_events (
  workspace_id text COLLATE "C" NOT NULL,
  place bigint NOT NULL,
  position bigint GENERATED ALWAYS AS IDENTITY,
  id text COLLATE "C" NOT NULL UNIQUE,
  key_id text COLLATE "C" NOT NULL,
  type text COLLATE "C" NOT NULL,
  at_ms bigint NOT NULL,
  actor_id text COLLATE "C" NOT NULL,
  actor_name text COLLATE "C" NOT NULL,
  data jsonb NOT NULL,
  is_pending boolean NOT NULL DEFAULT true,
  written_at_ms bigint NOT NULL DEFAULT (extract(epoch FROM clock_timestamp()) * 1000)::bigint,
  PRIMARY KEY (workspace_id, place)
);
CREATE INDEX miftah_events_key ON ${schema}.miftah_events (key_id, place);
CREATE INDEX miftah_events_pending ON ${schema}.miftah_events (position) WHERE is_pending;
CREATE INDEX miftah_events_actor ON ${schema}.miftah_events (actor_id);
CREATE INDEX miftah_events_time ON ${schema}.miftah_events (at_ms) WHERE NOT is_pending;

-- Who delivers events.
CREATE TABLE ${schema}.miftah_relay (
  one boolean PRIMARY KEY DEFAULT true CHECK (one),
  relay text COLLATE "C",
  lease_ms bigint NOT NULL DEFAULT 0,
  leased_until_ms bigint NOT NULL DEFAULT 0
);
INSERT INTO ${schema}.miftah_relay DEFAULT VALUES;

-- The log of changes for caches. It is in use once a node has ever registered; until then a change only
-- shares the row of the clock, so that a registration waits for it. The lock on that row puts entries
-- into the order of the commits, without gaps.
CREATE TABLE ${schema}.miftah_clock (
  one boolean PRIMARY KEY DEFAULT true CHECK (one),
  head bigint NOT NULL DEFAULT 0,
  is_used boolean NOT NULL DEFAULT false
) WITH (fillfactor = 50);
INSERT INTO ${schema}.miftah_clock DEFAULT VALUES;
CREATE TABLE ${schema}.miftah_log (
  sequence bigint PRIMARY KEY,
  kind text COLLATE "C" NOT NULL CHECK (kind IN ('key', 'plan', 'everything')),
  hash bytea CHECK ((kind = 'key') = (hash IS NOT NULL)),
  workspace_id text COLLATE "C",
  written_at_ms bigint NOT NULL DEFAULT (extract(epoch FROM clock_timestamp()) * 1000)::bigint
);

-- The processes that answer from memory. A renewal acknowledges nothing before the node has applied
-- an answer of this log: since is the first renewal that counts.
CREATE TABLE ${schema}.miftah_nodes (
  node text COLLATE "C" PRIMARY KEY,
  lease_ms bigint NOT NULL,
  renewal bigint NOT NULL DEFAULT 0,
  since bigint NOT NULL DEFAULT 0,
  acknowledged bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 50);

CREATE FUNCTION ${schema}.miftah_guard_key() RETURNS trigger
  LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $body$
BEGIN
  IF OLD.revoked_at_ms IS NOT NULL AND (NEW.revoked_at_ms <= OLD.revoked_at_ms) IS NOT TRUE THEN
    RAISE EXCEPTION 'miftah: a revocation is final' USING ERRCODE = 'check_violation';
  END IF;
  -- Also after a change by hand, so that no write stores what was decided from the row before.
  NEW.edition := greatest(NEW.edition, OLD.edition + 1);
  NEW.written_at_ms := (extract(epoch FROM clock_timestamp()) * 1000)::bigint;
  RETURN NEW;
END
$body$;
CREATE TRIGGER miftah_guard BEFORE UPDATE ON ${schema}.miftah_keys
  FOR EACH ROW EXECUTE FUNCTION ${schema}.miftah_guard_key();
ALTER TABLE ${schema}.miftah_keys ENABLE ALWAYS TRIGGER miftah_guard;

CREATE FUNCTION ${schema}.miftah_guard_event() RETURNS trigger
  LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $body$
BEGIN
  RAISE EXCEPTION 'miftah: the audit log is only added to, and an event is kept until it is delivered'
    USING ERRCODE = 'check_violation';
END
$body$;
CREATE TRIGGER miftah_guard BEFORE UPDATE ON ${schema}.miftah_events FOR EACH ROW
  WHEN (NEW.is_pending AND NOT OLD.is_pending
    OR (NEW.actor_id, NEW.actor_name) NOT IN ((OLD.actor_id, OLD.actor_name), ('miftah:erased', 'Erased'))
    OR (NEW.workspace_id, NEW.place, NEW.position, NEW.id, NEW.key_id, NEW.type, NEW.at_ms, NEW.data, NEW.written_at_ms)
      <> (OLD.workspace_id, OLD.place, OLD.position, OLD.id, OLD.key_id, OLD.type, OLD.at_ms, OLD.data, OLD.written_at_ms))
  EXECUTE FUNCTION ${schema}.miftah_guard_event();
CREATE TRIGGER miftah_guard_delete BEFORE DELETE ON ${schema}.miftah_events FOR EACH ROW
  WHEN (OLD.is_pending) EXECUTE FUNCTION ${schema}.miftah_guard_event();
CREATE TRIGGER miftah_guard_truncate BEFORE TRUNCATE ON ${schema}.miftah_events
  FOR EACH STATEMENT EXECUTE FUNCTION ${schema}.miftah_guard_event();
ALTER TABLE ${schema}.miftah_events ENABLE ALWAYS TRIGGER miftah_guard;
ALTER TABLE ${schema}.miftah_events ENABLE ALWAYS TRIGGER miftah_guard_delete;
ALTER TABLE ${schema}.miftah_events ENABLE ALWAYS TRIGGER miftah_guard_truncate;

-- Logs every change of keys, also one by hand, with the rights of the schema's owner. Deleting a revoked
-- key tells nodes nothing new. The log keeps 1,000 entries; a larger change is one entry for all keys.
CREATE FUNCTION ${schema}.miftah_log_keys() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $body$
DECLARE
  v_hashes bytea[];
  v_entries bigint := 1;
  v_head bigint;
BEGIN
  IF TG_OP <> 'TRUNCATE' THEN
    v_hashes := ARRAY(SELECT o.hash FROM changed o WHERE TG_OP = 'UPDATE' OR o.revoked_at_ms IS NULL);
    IF cardinality(v_hashes) = 0 THEN
      RETURN NULL;
    END IF;
    IF cardinality(v_hashes) <= 1000 THEN
      v_entries := cardinality(v_hashes);
    END IF;
  END IF;
  PERFORM FROM ${schema}.miftah_clock c WHERE NOT c.is_used FOR SHARE;
  IF FOUND THEN
    RETURN NULL;
  END IF;
  PERFORM set_config('synchronous_commit', CASE WHEN current_setting('synchronous_commit') IN ('off', 'local')
    THEN 'on' ELSE current_setting('synchronous_commit') END, true);
  UPDATE ${schema}.miftah_clock c SET head = c.head + v_entries RETURNING c.head INTO STRICT v_head;
  IF v_entries = cardinality(v_hashes) THEN
    INSERT INTO ${schema}.miftah_log (sequence, kind, hash)
      SELECT v_head - v_entries + u.n, 'key', u.hash FROM unnest(v_hashes) WITH ORDINALITY AS u (hash, n);
  ELSE
    INSERT INTO ${schema}.miftah_log (sequence, kind) VALUES (v_head, 'everything');
  END IF;
  DELETE FROM ${schema}.miftah_log l WHERE l.sequence <= v_head - 1000;
  RETURN NULL;
END
$body$;
REVOKE ALL ON FUNCTION ${schema}.miftah_log_keys() FROM PUBLIC;
CREATE TRIGGER miftah_log_update AFTER UPDATE ON ${schema}.miftah_keys
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION ${schema}.miftah_log_keys();
CREATE TRIGGER miftah_log_delete AFTER DELETE ON ${schema}.miftah_keys
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION ${schema}.miftah_log_keys();
CREATE TRIGGER miftah_log_truncate AFTER TRUNCATE ON ${schema}.miftah_keys
  FOR EACH STATEMENT EXECUTE FUNCTION ${schema}.miftah_log_keys();
ALTER TABLE ${schema}.miftah_keys ENABLE ALWAYS TRIGGER miftah_log_update;
ALTER TABLE ${schema}.miftah_keys ENABLE ALWAYS TRIGGER miftah_log_delete;
ALTER TABLE ${schema}.miftah_keys ENABLE ALWAYS TRIGGER miftah_log_truncate;
`
