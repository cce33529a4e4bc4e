/**
 * Every table, index and trigger, as version 1 creates them. Once released, this text never changes: a change of
 * the schema is a further migration.
 */
export const VERSION_1 = `
-- Instants are milliseconds since the epoch; texts are compared by their bytes.

-- The version of the tables, in one row.
CREATE TABLE miftah_schema (version INTEGER NOT NULL) STRICT;

-- What is known of a workspace that was written or closed. Its row stays for ever.
CREATE TABLE miftah_workspaces (
  id TEXT PRIMARY KEY CHECK (id <> ''),
  -- Grows with each write: what a write stores gets the places after it. A write whose guard fails makes it NULL.
  revision INTEGER NOT NULL,
  -- How many keys began to count, began to retire or were given a longer life.
  added INTEGER NOT NULL,
  -- A closed workspace gets no new key.
  is_erased INTEGER NOT NULL DEFAULT 0 CHECK (is_erased IN (0, 1))
) STRICT, WITHOUT ROWID;

CREATE TABLE miftah_keys (
  id TEXT NOT NULL CHECK (id <> ''),
  workspace_id TEXT NOT NULL,
  name TEXT NOT NULL,
  note TEXT,
  environment TEXT NOT NULL CHECK (environment IN ('live', 'test')),
  -- A JSON array of texts.
  scopes TEXT NOT NULL CHECK (json_type(scopes) = 'array'),
  -- A JSON object: the ids that the key reaches, for each type of resource in which it is restricted.
  resources TEXT NOT NULL CHECK (json_type(resources) = 'object'),
  -- The JSON text "any", or an array of networks.
  networks TEXT NOT NULL CHECK (networks = '"any"' OR json_type(networks) = 'array'),
  prefix TEXT NOT NULL,
  creator_id TEXT NOT NULL,
  creator_name TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  revoked_at_ms INTEGER,
  replaces TEXT,
  replaced_by TEXT,
  version INTEGER NOT NULL CHECK (version > 0),
  updated_at_ms INTEGER NOT NULL,
  expires_at_ms INTEGER,
  paused_at_ms INTEGER,
  paused_by_id TEXT,
  paused_by_name TEXT,
  -- When the overlap of a rotation is over.
  retires_at_ms INTEGER,
  -- A JSON object of texts.
  metadata TEXT NOT NULL CHECK (json_type(metadata) = 'object'),
  format TEXT,
  -- SHA-256 of the secret.
  hash BLOB NOT NULL CHECK (length(hash) = 32),
  -- When the audit log next says something about the end of the key.
  notice_at_ms INTEGER,
  -- The order of the keys of the workspace.
  place INTEGER NOT NULL,
  -- Grows with every change, also with one by hand.
  edition INTEGER NOT NULL CHECK (edition > 0),
  written_at_ms INTEGER NOT NULL
) STRICT;

CREATE UNIQUE INDEX miftah_keys_id ON miftah_keys (id);
CREATE UNIQUE INDEX miftah_keys_hash ON miftah_keys (hash);
CREATE UNIQUE INDEX miftah_keys_replaces ON miftah_keys (replaces) WHERE replaces IS NOT NULL;
CREATE UNIQUE INDEX miftah_keys_workspace ON miftah_keys (workspace_id, place);
-- With all that a status depends on, so that keys are counted without reading them.
CREATE INDEX miftah_keys_living ON miftah_keys
  (workspace_id, place, revoked_at_ms, retires_at_ms, expires_at_ms, paused_at_ms, environment)
  WHERE revoked_at_ms IS NULL;
CREATE INDEX miftah_keys_revoked ON miftah_keys (workspace_id, place)
  WHERE revoked_at_ms IS NOT NULL;
CREATE INDEX miftah_keys_retiring ON miftah_keys (workspace_id, retires_at_ms)
  WHERE revoked_at_ms IS NULL AND retires_at_ms IS NOT NULL;
CREATE INDEX miftah_keys_creator ON miftah_keys (creator_id, workspace_id, place);
CREATE INDEX miftah_keys_pauser ON miftah_keys (paused_by_id) WHERE paused_by_id IS NOT NULL;
CREATE INDEX miftah_keys_notice ON miftah_keys (notice_at_ms) WHERE notice_at_ms IS NOT NULL;
CREATE INDEX miftah_keys_end ON miftah_keys (min(coalesce(revoked_at_ms, 9007199254740991),
    coalesce(retires_at_ms, 9007199254740991), coalesce(expires_at_ms, 9007199254740991)))
  WHERE format IS NULL;

-- A revocation is final.
CREATE TRIGGER miftah_keys_stay_revoked BEFORE UPDATE OF revoked_at_ms ON miftah_keys
WHEN OLD.revoked_at_ms IS NOT NULL AND NEW.revoked_at_ms IS NOT OLD.revoked_at_ms
BEGIN
  SELECT RAISE(ABORT, 'miftah: a revocation is final');
END;

-- INSERT OR REPLACE deletes a row in its way without asking any other trigger.
CREATE TRIGGER miftah_keys_are_not_replaced BEFORE INSERT ON miftah_keys
WHEN EXISTS (SELECT 1 FROM miftah_keys WHERE id = NEW.id)
  OR EXISTS (SELECT 1 FROM miftah_keys WHERE hash = NEW.hash)
  OR EXISTS (SELECT 1 FROM miftah_keys WHERE replaces = NEW.replaces)
  OR EXISTS (SELECT 1 FROM miftah_keys WHERE workspace_id = NEW.workspace_id AND place = NEW.place)
BEGIN
  SELECT RAISE(ABORT, 'UNIQUE constraint failed: this key is there already');
END;

-- A change by hand moves the edition.
CREATE TRIGGER miftah_keys_move_their_edition AFTER UPDATE ON miftah_keys
WHEN NEW.edition <= OLD.edition
BEGIN
  UPDATE miftah_keys SET edition = OLD.edition + 1 WHERE id = NEW.id;
END;

-- How often a key was used. A key that was never used has no row.
CREATE TABLE miftah_usage (
  key_id TEXT PRIMARY KEY,
  uses INTEGER NOT NULL CHECK (uses > 0),
  last_used_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- How many requests of a key had an outcome in an hour, counted from the epoch.
CREATE TABLE miftah_hourly_usage (
  key_id TEXT NOT NULL,
  hour INTEGER NOT NULL,
  outcome INTEGER NOT NULL,
  count INTEGER NOT NULL CHECK (count > 0),
  PRIMARY KEY (key_id, hour, outcome)
) STRICT, WITHOUT ROWID;

CREATE INDEX miftah_hourly_usage_hour ON miftah_hourly_usage (hour);

-- The last batch of each writer of uses.
CREATE TABLE miftah_writers (
  id TEXT PRIMARY KEY,
  sequence INTEGER NOT NULL,
  written_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX miftah_writers_written ON miftah_writers (written_at_ms);

-- The audit log.
CREATE TABLE miftah_events (
  -- The order in which events are delivered.
  position INTEGER PRIMARY KEY,
  workspace_id TEXT NOT NULL,
  -- The order of the events of the workspace.
  place INTEGER NOT NULL,
  id TEXT NOT NULL CHECK (id <> ''),
  key_id TEXT NOT NULL,
  type TEXT NOT NULL,
  at_ms INTEGER NOT NULL,
  actor_id TEXT NOT NULL,
  actor_name TEXT NOT NULL,
  -- A JSON object.
  data TEXT NOT NULL CHECK (json_type(data) = 'object'),
  -- Whether no relay has acknowledged it.
  is_pending INTEGER NOT NULL CHECK (is_pending IN (0, 1)),
  written_at_ms INTEGER NOT NULL
) STRICT;

CREATE UNIQUE INDEX miftah_events_of_id ON miftah_events (id);
CREATE UNIQUE INDEX miftah_events_of_workspace ON miftah_events (workspace_id, place);
CREATE INDEX miftah_events_of_key ON miftah_events (key_id, place);
CREATE INDEX miftah_events_pending ON miftah_events (position) WHERE is_pending = 1;
CREATE INDEX miftah_events_time ON miftah_events (at_ms) WHERE is_pending = 0;
CREATE INDEX miftah_events_actor ON miftah_events (actor_id);

-- The audit log is only added to. An event is acknowledged once, its actor may become the shared pseudonym, and
-- what was acknowledged may be deleted.
CREATE TRIGGER miftah_events_stay BEFORE UPDATE ON miftah_events
WHEN NEW.is_pending > OLD.is_pending
  OR ((NEW.actor_id, NEW.actor_name) IS NOT (OLD.actor_id, OLD.actor_name)
    AND (NEW.actor_id, NEW.actor_name) IS NOT ('miftah:erased', 'Erased'))
  OR (NEW.position, NEW.workspace_id, NEW.place, NEW.id, NEW.key_id, NEW.type, NEW.at_ms, NEW.data,
      NEW.written_at_ms)
    IS NOT (OLD.position, OLD.workspace_id, OLD.place, OLD.id, OLD.key_id, OLD.type, OLD.at_ms, OLD.data,
      OLD.written_at_ms)
BEGIN
  SELECT RAISE(ABORT, 'miftah: the audit log is only added to');
END;

CREATE TRIGGER miftah_events_are_kept BEFORE DELETE ON miftah_events
WHEN OLD.is_pending = 1
BEGIN
  SELECT RAISE(ABORT, 'miftah: an event is deleted only after it was acknowledged');
END;

CREATE TRIGGER miftah_events_are_not_replaced BEFORE INSERT ON miftah_events
WHEN EXISTS (SELECT 1 FROM miftah_events WHERE id = NEW.id)
  OR EXISTS (SELECT 1 FROM miftah_events WHERE position = NEW.position)
  OR EXISTS (SELECT 1 FROM miftah_events WHERE workspace_id = NEW.workspace_id AND place = NEW.place)
BEGIN
  SELECT RAISE(ABORT, 'UNIQUE constraint failed: this event is there already');
END;

-- Who may deliver events, until when, and for how long it was granted.
CREATE TABLE miftah_relay (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  relay TEXT,
  leased_until_ms INTEGER NOT NULL,
  lease_ms INTEGER NOT NULL
) STRICT;

INSERT INTO miftah_relay VALUES (1, NULL, 0, 0);
INSERT INTO miftah_schema VALUES (1);
`.trim()
