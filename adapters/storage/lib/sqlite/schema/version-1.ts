/**
 * Version 1, as the first release created it. A released version never changes: a test compares its
 * digest. A change of the schema is a new version.
 */
export const VERSION_1 = `
-- When a key was inserted is its position: keys are never deleted, so it only grows.
CREATE TABLE miftah_keys (
  position INTEGER PRIMARY KEY,
  hash BLOB NOT NULL UNIQUE CHECK (length(hash) = 32),
  id TEXT NOT NULL UNIQUE CHECK (length(id) > 0),
  workspace_id TEXT NOT NULL CHECK (length(workspace_id) > 0),
  name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 120),
  environment TEXT NOT NULL CHECK (environment IN ('live', 'test')),
  scopes TEXT NOT NULL CHECK (json_valid(scopes) AND json_type(scopes) = 'array'),
  prefix TEXT NOT NULL CHECK (length(prefix) = 12),
  creator_id TEXT NOT NULL,
  creator_name TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  last_used_at_ms INTEGER,
  uses INTEGER NOT NULL CHECK (uses BETWEEN 0 AND 9007199254740991),
  -- The one truth about the status: null is active, anything else is revoked.
  revoked_at_ms INTEGER,
  replaces TEXT UNIQUE,
  replaced_by TEXT UNIQUE,
  CHECK (replaced_by IS NULL OR revoked_at_ms IS NOT NULL),
  CHECK (replaces IS NULL OR replaces <> id)
) STRICT;

-- With the environment in it an index answers that filter without going to the table.
CREATE INDEX miftah_keys_of_workspace ON miftah_keys (workspace_id, position, environment);
CREATE INDEX miftah_keys_active ON miftah_keys (workspace_id, position, environment)
  WHERE revoked_at_ms IS NULL;
CREATE INDEX miftah_keys_revoked ON miftah_keys (workspace_id, position, environment)
  WHERE revoked_at_ms IS NOT NULL;

-- INSERT OR REPLACE deletes what is in its way without asking a delete trigger, so it is met here.
CREATE TRIGGER miftah_keys_are_not_replaced BEFORE INSERT ON miftah_keys
WHEN EXISTS (
  SELECT 1 FROM miftah_keys
  WHERE position = NEW.position OR hash = NEW.hash OR id = NEW.id
    OR replaces = NEW.replaces OR replaced_by = NEW.replaced_by
)
BEGIN
  SELECT RAISE(ABORT, 'miftah: this hash, id or link is taken');
END;

CREATE TRIGGER miftah_keys_replace_a_revoked_key BEFORE INSERT ON miftah_keys
WHEN NEW.replaces IS NOT NULL AND NOT EXISTS (
  SELECT 1 FROM miftah_keys
  WHERE id = NEW.replaces AND workspace_id = NEW.workspace_id AND replaced_by = NEW.id
)
BEGIN
  SELECT RAISE(ABORT, 'miftah: the replaced key does not name this key');
END;

CREATE TRIGGER miftah_keys_keep_what_they_are
BEFORE UPDATE OF position, hash, id, workspace_id, name, environment, scopes, prefix, creator_id,
  creator_name, created_at_ms, replaces ON miftah_keys
BEGIN
  SELECT RAISE(ABORT, 'miftah: a key keeps what it was created with');
END;

CREATE TRIGGER miftah_keys_stay_revoked BEFORE UPDATE OF revoked_at_ms ON miftah_keys
WHEN OLD.revoked_at_ms IS NOT NULL AND NEW.revoked_at_ms IS NOT OLD.revoked_at_ms
BEGIN
  SELECT RAISE(ABORT, 'miftah: a revocation is never undone or moved');
END;

CREATE TRIGGER miftah_keys_stay_replaced BEFORE UPDATE OF replaced_by ON miftah_keys
WHEN NEW.replaced_by IS NOT OLD.replaced_by
  AND (OLD.replaced_by IS NOT NULL OR OLD.revoked_at_ms IS NOT NULL)
BEGIN
  SELECT RAISE(ABORT, 'miftah: a key is replaced once, while it is active');
END;

CREATE TRIGGER miftah_keys_count_up BEFORE UPDATE OF uses, last_used_at_ms ON miftah_keys
WHEN NEW.uses < OLD.uses
  OR (OLD.last_used_at_ms IS NOT NULL AND NEW.last_used_at_ms IS NULL)
  OR NEW.last_used_at_ms < OLD.last_used_at_ms
BEGIN
  SELECT RAISE(ABORT, 'miftah: uses and last use never go back');
END;

CREATE TRIGGER miftah_keys_are_not_deleted BEFORE DELETE ON miftah_keys
BEGIN
  SELECT RAISE(ABORT, 'miftah: keys are revoked, not deleted');
END;

CREATE TABLE miftah_events (
  position INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE CHECK (length(id) > 0),
  workspace_id TEXT NOT NULL,
  key_id TEXT NOT NULL,
  type TEXT NOT NULL CHECK (type IN ('api_key.created', 'api_key.rotated', 'api_key.revoked')),
  at_ms INTEGER NOT NULL,
  actor_id TEXT NOT NULL,
  actor_name TEXT NOT NULL,
  data TEXT NOT NULL CHECK (json_valid(data) AND json_type(data) = 'object')
) STRICT;

CREATE INDEX miftah_events_of_workspace ON miftah_events (workspace_id, position);

CREATE TRIGGER miftah_events_tell_of_a_key BEFORE INSERT ON miftah_events
WHEN NOT EXISTS (
  SELECT 1 FROM miftah_keys WHERE id = NEW.key_id AND workspace_id = NEW.workspace_id
)
BEGIN
  SELECT RAISE(ABORT, 'miftah: an event tells of a key of its workspace');
END;

CREATE TRIGGER miftah_events_are_not_replaced BEFORE INSERT ON miftah_events
WHEN EXISTS (SELECT 1 FROM miftah_events WHERE position = NEW.position OR id = NEW.id)
BEGIN
  SELECT RAISE(ABORT, 'miftah: this event is there already');
END;

CREATE TRIGGER miftah_events_are_not_updated BEFORE UPDATE ON miftah_events
BEGIN
  SELECT RAISE(ABORT, 'miftah: the audit log is append-only');
END;

CREATE TRIGGER miftah_events_are_not_deleted BEFORE DELETE ON miftah_events
BEGIN
  SELECT RAISE(ABORT, 'miftah: the audit log is append-only');
END;

-- The events that no relay has settled yet.
CREATE TABLE miftah_outbox (position INTEGER PRIMARY KEY) STRICT;

CREATE TRIGGER miftah_events_await_delivery AFTER INSERT ON miftah_events
BEGIN
  INSERT INTO miftah_outbox (position) VALUES (NEW.position);
END;

-- At most one row: who may deliver events, and until when.
CREATE TABLE miftah_lease (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  relay TEXT NOT NULL,
  until_ms INTEGER NOT NULL
) STRICT;

-- The last batch of each writer of uses.
CREATE TABLE miftah_writers (
  writer TEXT PRIMARY KEY,
  sequence INTEGER NOT NULL,
  seen_at_s INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX miftah_writers_by_age ON miftah_writers (seen_at_s);
`.trim()
