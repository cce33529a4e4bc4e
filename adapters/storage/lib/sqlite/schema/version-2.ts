import { ACTIVE_KEY_COUNT } from './active-keys.ts'
import { ERASURE, IS_DEAD, IS_ERASURE_OF_EVENT, IS_ERASURE_OF_KEY } from './erasure.ts'
import { NOTICES } from './notices.ts'
import { USAGE_HISTORY } from './usage-history.ts'

/**
 * Version 2: usage has a table of its own, and constraints refuse every row that the library could
 * not read. SQLite can neither drop a column that a constraint names nor add a constraint, so the
 * tables are made anew. Instants are those that a JavaScript date can hold (ECMA-262 §21.4.1.1).
 */
export const VERSION_2 = `
-- Triggers of other tables that name a table which is made anew.
DROP TRIGGER miftah_events_tell_of_a_key;

-- When a key was inserted is its position, which is never given twice.
CREATE TABLE miftah_new_keys (
  position INTEGER PRIMARY KEY AUTOINCREMENT,
  hash BLOB NOT NULL UNIQUE CHECK (length(hash) = 32),
  id TEXT NOT NULL UNIQUE CHECK (length(id) > 0),
  workspace_id TEXT NOT NULL CHECK (length(workspace_id) > 0),
  name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 120),
  environment TEXT NOT NULL CHECK (environment IN ('live', 'test')),
  scopes TEXT NOT NULL CHECK (json_valid(scopes) AND json_type(scopes) = 'array'),
  prefix TEXT NOT NULL CHECK (length(prefix) = length(CAST(prefix AS BLOB))
    AND (length(prefix) = 12 OR format IS NOT NULL AND length(prefix) BETWEEN 1 AND 12)),
  creator_id TEXT NOT NULL CHECK (length(creator_id) > 0),
  creator_name TEXT NOT NULL CHECK (length(creator_name) > 0),
  created_at_ms INTEGER NOT NULL CHECK (created_at_ms BETWEEN -8640000000000000 AND 8640000000000000),
  revoked_at_ms INTEGER CHECK (revoked_at_ms BETWEEN -8640000000000000 AND 8640000000000000),
  replaces TEXT UNIQUE CHECK (length(replaces) > 0),
  replaced_by TEXT UNIQUE CHECK (length(replaced_by) > 0),
  version INTEGER NOT NULL CHECK (version BETWEEN 1 AND 9007199254740991),
  updated_at_ms INTEGER NOT NULL CHECK (updated_at_ms BETWEEN -8640000000000000 AND 8640000000000000),
  expires_at_ms INTEGER CHECK (expires_at_ms BETWEEN -8640000000000000 AND 8640000000000000),
  paused_at_ms INTEGER CHECK (paused_at_ms BETWEEN -8640000000000000 AND 8640000000000000),
  paused_by_id TEXT CHECK (length(paused_by_id) > 0),
  paused_by_name TEXT CHECK (length(paused_by_name) > 0),
  retires_at_ms INTEGER CHECK (retires_at_ms BETWEEN -8640000000000000 AND 8640000000000000),
  metadata TEXT NOT NULL CHECK (json_valid(metadata) AND json_type(metadata) = 'object'),
  format TEXT CHECK (length(format) > 0),
  CHECK (replaced_by IS NULL OR revoked_at_ms IS NOT NULL OR retires_at_ms IS NOT NULL),
  CHECK (retires_at_ms IS NULL OR (replaced_by IS NOT NULL AND paused_at_ms IS NULL)),
  CHECK (retires_at_ms <= expires_at_ms),
  CHECK ((paused_at_ms IS NULL) = (paused_by_id IS NULL)
    AND (paused_at_ms IS NULL) = (paused_by_name IS NULL)),
  CHECK (replaces IS NULL OR replaces <> id)
) STRICT;

INSERT INTO miftah_new_keys
SELECT position, hash, id, workspace_id, name, environment, scopes, prefix, creator_id, creator_name,
  created_at_ms, revoked_at_ms, replaces, replaced_by, 1, created_at_ms, NULL, NULL, NULL, NULL, NULL,
  '{}', NULL
FROM miftah_keys;

-- How often each key was used, apart from the key, which changes only when somebody changes it.
CREATE TABLE miftah_usage (
  key_id TEXT PRIMARY KEY,
  uses INTEGER NOT NULL CHECK (uses BETWEEN 0 AND 9007199254740991),
  last_used_at_ms INTEGER CHECK (last_used_at_ms BETWEEN -8640000000000000 AND 8640000000000000)
) STRICT, WITHOUT ROWID;

INSERT INTO miftah_usage SELECT id, uses, last_used_at_ms FROM miftah_keys;

DROP TABLE miftah_keys;
ALTER TABLE miftah_new_keys RENAME TO miftah_keys;

-- With the environment in it an index answers that filter without going to the table.
CREATE INDEX miftah_keys_of_workspace ON miftah_keys (workspace_id, position, environment);
CREATE INDEX miftah_keys_active ON miftah_keys (workspace_id, position, environment)
  WHERE revoked_at_ms IS NULL;
CREATE INDEX miftah_keys_revoked ON miftah_keys (workspace_id, position, environment)
  WHERE revoked_at_ms IS NOT NULL;
CREATE INDEX miftah_keys_expiring ON miftah_keys (workspace_id, expires_at_ms)
  WHERE revoked_at_ms IS NULL AND retires_at_ms IS NULL AND expires_at_ms IS NOT NULL;
CREATE INDEX miftah_keys_retiring ON miftah_keys (workspace_id, retires_at_ms)
  WHERE revoked_at_ms IS NULL AND retires_at_ms IS NOT NULL;
CREATE INDEX miftah_keys_paused ON miftah_keys (workspace_id, position, environment)
  WHERE revoked_at_ms IS NULL AND paused_at_ms IS NOT NULL;

-- INSERT OR REPLACE deletes what is in its way without asking a delete trigger, so it is met here.
CREATE TRIGGER miftah_keys_are_not_replaced BEFORE INSERT ON miftah_keys
-- One look-up for each index: a single OR scans the table once statistics say that no link is set.
WHEN EXISTS (SELECT 1 FROM miftah_keys WHERE position = NEW.position)
  OR EXISTS (SELECT 1 FROM miftah_keys WHERE hash = NEW.hash)
  OR EXISTS (SELECT 1 FROM miftah_keys WHERE id = NEW.id)
  OR EXISTS (SELECT 1 FROM miftah_keys WHERE replaces = NEW.replaces)
  OR EXISTS (SELECT 1 FROM miftah_keys WHERE replaced_by = NEW.replaced_by)
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

-- After the insert, when the constraints have found that it is an array.
CREATE TRIGGER miftah_keys_have_texts_for_scopes AFTER INSERT ON miftah_keys
WHEN EXISTS (SELECT 1 FROM json_each(NEW.scopes) WHERE type <> 'text' OR value = '')
  OR EXISTS (SELECT 1 FROM json_each(NEW.metadata) WHERE type <> 'text')
BEGIN
  SELECT RAISE(ABORT, 'miftah: scopes and metadata values must be text');
END;

CREATE TRIGGER miftah_keys_keep_texts_for_scopes AFTER UPDATE OF scopes, metadata ON miftah_keys
WHEN EXISTS (SELECT 1 FROM json_each(NEW.scopes) WHERE type <> 'text' OR value = '')
  OR EXISTS (SELECT 1 FROM json_each(NEW.metadata) WHERE type <> 'text')
BEGIN
  SELECT RAISE(ABORT, 'miftah: scopes and metadata values must be text');
END;

-- Who revokes a key by hand need not count: a revoked key never changes again.
CREATE TRIGGER miftah_keys_count_their_changes BEFORE UPDATE ON miftah_keys
WHEN NEW.version <> OLD.version + 1
  AND (NEW.version <> OLD.version OR NEW.revoked_at_ms IS NULL)
BEGIN
  SELECT RAISE(ABORT, 'miftah: every change of a key adds 1 to its version');
END;

CREATE TRIGGER miftah_keys_keep_what_they_are
BEFORE UPDATE OF position, hash, id, workspace_id, environment, prefix, creator_id, creator_name,
  created_at_ms, replaces, format ON miftah_keys
WHEN NOT ${IS_ERASURE_OF_KEY}
BEGIN
  SELECT RAISE(ABORT, 'miftah: a key keeps what it was created with');
END;

CREATE TRIGGER miftah_keys_stay_revoked BEFORE UPDATE ON miftah_keys
WHEN OLD.revoked_at_ms IS NOT NULL AND NOT ${IS_ERASURE_OF_KEY}
BEGIN
  SELECT RAISE(ABORT, 'miftah: a revocation is never undone or moved, and a revoked key never changes');
END;

CREATE TRIGGER miftah_keys_stay_replaced
BEFORE UPDATE OF replaced_by, name, scopes, expires_at_ms, paused_at_ms, paused_by_id, paused_by_name,
  metadata ON miftah_keys
WHEN OLD.replaced_by IS NOT NULL AND NOT ${IS_ERASURE_OF_KEY}
BEGIN
  SELECT RAISE(ABORT, 'miftah: a key is replaced once, and does not change after that');
END;

CREATE TRIGGER miftah_keys_retire_no_later BEFORE UPDATE OF retires_at_ms ON miftah_keys
WHEN OLD.retires_at_ms IS NOT NULL
  AND (NEW.retires_at_ms IS NULL OR NEW.retires_at_ms > OLD.retires_at_ms)
BEGIN
  SELECT RAISE(ABORT, 'miftah: the end of an overlap never moves later');
END;

CREATE TRIGGER miftah_keys_are_not_deleted BEFORE DELETE ON miftah_keys
WHEN NOT ${IS_DEAD}
BEGIN
  SELECT RAISE(ABORT, 'miftah: keys are revoked, not deleted');
END;

CREATE TRIGGER miftah_keys_begin_unused AFTER INSERT ON miftah_keys
BEGIN
  INSERT INTO miftah_usage VALUES (NEW.id, 0, NULL);
END;

CREATE TRIGGER miftah_usage_belongs_to_a_key BEFORE INSERT ON miftah_usage
WHEN NOT EXISTS (SELECT 1 FROM miftah_keys WHERE id = NEW.key_id)
  OR EXISTS (SELECT 1 FROM miftah_usage WHERE key_id = NEW.key_id)
BEGIN
  SELECT RAISE(ABORT, 'miftah: usage has one row for each key');
END;

CREATE TRIGGER miftah_usage_counts_up BEFORE UPDATE ON miftah_usage
WHEN NEW.key_id <> OLD.key_id
  OR NEW.uses < OLD.uses
  OR (OLD.last_used_at_ms IS NOT NULL AND NEW.last_used_at_ms IS NULL)
  -- Only an instant that is ahead of the clock may be put right.
  OR (NEW.last_used_at_ms < OLD.last_used_at_ms AND OLD.last_used_at_ms <= CAST(strftime('%s', 'now') || substr(strftime('%f', 'now'), 4) AS INTEGER))
BEGIN
  SELECT RAISE(ABORT, 'miftah: uses and last use never go back');
END;

CREATE TRIGGER miftah_usage_is_not_deleted BEFORE DELETE ON miftah_usage
WHEN EXISTS (SELECT 1 FROM miftah_keys WHERE id = OLD.key_id)
BEGIN
  SELECT RAISE(ABORT, 'miftah: usage is kept with its key');
END;

${ACTIVE_KEY_COUNT}

${USAGE_HISTORY}

CREATE TABLE miftah_new_events (
  position INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE CHECK (length(id) > 0),
  workspace_id TEXT NOT NULL,
  key_id TEXT NOT NULL,
  type TEXT NOT NULL CHECK (type IN ('api_key.created', 'api_key.imported', 'api_key.updated',
    'api_key.paused', 'api_key.resumed', 'api_key.rotated', 'api_key.revoked', 'api_key.expiring',
    'api_key.expired', 'api_key.retired')),
  at_ms INTEGER NOT NULL CHECK (at_ms BETWEEN -8640000000000000 AND 8640000000000000),
  actor_id TEXT NOT NULL,
  actor_name TEXT NOT NULL,
  data TEXT NOT NULL CHECK (json_valid(data) AND json_type(data) = 'object'),
  CHECK (json_type(data, '$.name') IS 'text' AND json_type(data, '$.prefix') IS 'text'
    AND coalesce(json_extract(data, '$.environment') IN ('live', 'test'), 0)
    AND json_type(data, '$.scopes') IS 'array'),
  CHECK (type <> 'api_key.rotated' OR (json_type(data, '$.replacementId') IS 'text'
    AND json_type(data, '$.replacementPrefix') IS 'text'
    AND coalesce(json_type(data, '$.overlapEndsAt'), 'null') IN ('text', 'null'))),
  CHECK (type NOT IN ('api_key.expiring', 'api_key.expired')
    OR json_type(data, '$.expiresAt') IS 'text'),
  CHECK (type <> 'api_key.retired' OR (json_type(data, '$.replacementId') IS 'text'
    AND json_type(data, '$.overlapEndsAt') IS 'text')),
  CHECK (type <> 'api_key.updated' OR (json_type(data, '$.before') IS 'object'
    AND json_type(data, '$.after') IS 'object')),
  CHECK (type <> 'api_key.imported' OR json_type(data, '$.format') IS 'text')
) STRICT;

INSERT INTO miftah_new_events
SELECT position, id, workspace_id, key_id, type, at_ms, actor_id, actor_name, data FROM miftah_events;

DROP TABLE miftah_events;
ALTER TABLE miftah_new_events RENAME TO miftah_events;

CREATE TRIGGER miftah_events_have_texts_for_scopes AFTER INSERT ON miftah_events
WHEN EXISTS (SELECT 1 FROM json_each(NEW.data, '$.scopes') WHERE type <> 'text')
BEGIN
  SELECT RAISE(ABORT, 'miftah: scopes must be text');
END;



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
WHEN NOT ${IS_ERASURE_OF_EVENT}
BEGIN
  SELECT RAISE(ABORT, 'miftah: the audit log is append-only');
END;

CREATE TRIGGER miftah_events_are_not_deleted BEFORE DELETE ON miftah_events
WHEN EXISTS (SELECT 1 FROM miftah_outbox WHERE position = OLD.position)
BEGIN
  SELECT RAISE(ABORT, 'miftah: an event is deleted only after it was delivered');
END;

CREATE INDEX miftah_events_of_workspace ON miftah_events (workspace_id, position);
CREATE INDEX miftah_events_of_key ON miftah_events (key_id, position);

CREATE TRIGGER miftah_events_await_delivery AFTER INSERT ON miftah_events
BEGIN
  INSERT INTO miftah_outbox (position) VALUES (NEW.position);
END;

${ERASURE}

${NOTICES}

-- At most one row: who may deliver events, until when, and for how long it was granted.
DROP TABLE miftah_lease;
CREATE TABLE miftah_lease (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  relay TEXT NOT NULL,
  until_ms INTEGER NOT NULL,
  lease_ms INTEGER NOT NULL
) STRICT;
`.trim()
