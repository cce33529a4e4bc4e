import { NOW_MS } from './clock.ts'

const isInstant = (column: string) => `${column} BETWEEN -8640000000000000 AND 8640000000000000`

/** A change that does nothing but put the pseudonym in the place of people. */
const ONLY_PSEUDONYMS = `(
  (NEW.position, NEW.hash, NEW.id, NEW.workspace_id, NEW.name, NEW.note, NEW.environment,
    NEW.scopes, NEW.resources, NEW.networks, NEW.prefix, NEW.created_at_ms, NEW.revoked_at_ms, NEW.replaces, NEW.replaced_by,
    NEW.updated_at_ms, NEW.expires_at_ms, NEW.paused_at_ms, NEW.retires_at_ms, NEW.metadata,
    NEW.format)
  IS (OLD.position, OLD.hash, OLD.id, OLD.workspace_id, OLD.name, OLD.note, OLD.environment,
    OLD.scopes, OLD.resources, OLD.networks, OLD.prefix, OLD.created_at_ms, OLD.revoked_at_ms, OLD.replaces, OLD.replaced_by,
    OLD.updated_at_ms, OLD.expires_at_ms, OLD.paused_at_ms, OLD.retires_at_ms, OLD.metadata,
    OLD.format)
  AND ((NEW.creator_id, NEW.creator_name) IS (OLD.creator_id, OLD.creator_name)
    OR (NEW.creator_id, NEW.creator_name) IS ('miftah:erased', 'Erased'))
  AND ((NEW.paused_by_id, NEW.paused_by_name) IS (OLD.paused_by_id, OLD.paused_by_name)
    OR OLD.paused_by_id IS NOT NULL
      AND (NEW.paused_by_id, NEW.paused_by_name) IS ('miftah:erased', 'Erased'))
)`

const TEXTS_ONLY = `WHEN EXISTS (SELECT 1 FROM json_each(NEW.scopes) WHERE type <> 'text' OR value = '')
  OR EXISTS (SELECT 1 FROM json_each(NEW.metadata) WHERE type <> 'text')
  OR EXISTS (SELECT 1 FROM json_each(NEW.resources) AS t LEFT JOIN json_each(t.value) AS i
    WHERE t.type <> 'array' OR i.type <> 'text')
  OR EXISTS (SELECT 1 FROM json_each(NEW.networks) WHERE type <> 'text')
BEGIN
  SELECT RAISE(ABORT, 'miftah: scopes, resource ids, networks and metadata values must be text');
END;`

/** When the log next reports the end of a key: 7 days and 1 day before it, and then. */
const PLAN_NOTICE = `INSERT INTO miftah_notices
  SELECT NEW.id, due FROM (SELECT CASE
    WHEN nullif(NEW.revoked_at_ms, NEW.retires_at_ms) IS NOT NULL THEN NULL
    WHEN NEW.retires_at_ms IS NOT NULL THEN NEW.retires_at_ms
    WHEN NEW.expires_at_ms - 604800000 > NEW.updated_at_ms THEN NEW.expires_at_ms - 604800000
    WHEN NEW.expires_at_ms - 86400000 > NEW.updated_at_ms THEN NEW.expires_at_ms - 86400000
    ELSE NEW.expires_at_ms END AS due)
  WHERE due IS NOT NULL;`

/**
 * Every table, index and trigger, as version 1 creates them. Instants are milliseconds since the epoch
 * that a JavaScript date can hold (ECMA-262 §21.4.1.1); 9007199254740991 is the largest safe integer.
 * Once released, this text never changes: a change of the schema is a further migration.
 */
export const VERSION_1 = `
-- Which migrations have been applied.
CREATE TABLE miftah_migrations (
  version INTEGER PRIMARY KEY,
  applied_at_s INTEGER NOT NULL
) STRICT;

-- Keys. The position is the order of insertion and is never given twice.
CREATE TABLE miftah_keys (
  position INTEGER PRIMARY KEY AUTOINCREMENT,
  hash BLOB NOT NULL UNIQUE CHECK (length(hash) = 32),
  id TEXT NOT NULL UNIQUE CHECK (length(id) > 0),
  workspace_id TEXT NOT NULL CHECK (length(workspace_id) > 0),
  name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 120),
  note TEXT CHECK (length(note) BETWEEN 1 AND 200),
  environment TEXT NOT NULL CHECK (environment IN ('live', 'test')),
  scopes TEXT NOT NULL CHECK (json_valid(scopes) AND json_type(scopes) = 'array'),
  -- The ids that the key reaches, for each type of resource in which it is restricted.
  resources TEXT NOT NULL CHECK (json_valid(resources) AND json_type(resources) = 'object'),
  -- "any", or the list of networks that the key may be used from.
  networks TEXT NOT NULL CHECK (networks = '"any"'
    OR json_valid(networks) AND json_type(networks) = 'array' AND json_array_length(networks) > 0),
  prefix TEXT NOT NULL CHECK (length(prefix) = length(CAST(prefix AS BLOB))
    AND (length(prefix) = 12 OR format IS NOT NULL AND length(prefix) BETWEEN 1 AND 12)),
  creator_id TEXT NOT NULL CHECK (length(creator_id) > 0),
  creator_name TEXT NOT NULL CHECK (length(creator_name) > 0),
  created_at_ms INTEGER NOT NULL CHECK (${isInstant('created_at_ms')}),
  revoked_at_ms INTEGER CHECK (${isInstant('revoked_at_ms')}),
  replaces TEXT UNIQUE CHECK (length(replaces) > 0),
  replaced_by TEXT UNIQUE CHECK (length(replaced_by) > 0),
  version INTEGER NOT NULL CHECK (version BETWEEN 1 AND 9007199254740991),
  updated_at_ms INTEGER NOT NULL CHECK (${isInstant('updated_at_ms')}),
  expires_at_ms INTEGER CHECK (${isInstant('expires_at_ms')}),
  paused_at_ms INTEGER CHECK (${isInstant('paused_at_ms')}),
  paused_by_id TEXT CHECK (length(paused_by_id) > 0),
  paused_by_name TEXT CHECK (length(paused_by_name) > 0),
  retires_at_ms INTEGER CHECK (${isInstant('retires_at_ms')}),
  metadata TEXT NOT NULL CHECK (json_valid(metadata) AND json_type(metadata) = 'object'),
  format TEXT CHECK (length(format) > 0),
  CHECK (replaced_by IS NULL OR revoked_at_ms IS NOT NULL OR retires_at_ms IS NOT NULL),
  CHECK (retires_at_ms IS NULL OR (replaced_by IS NOT NULL AND paused_at_ms IS NULL)),
  CHECK (retires_at_ms <= expires_at_ms),
  CHECK ((paused_at_ms IS NULL) = (paused_by_id IS NULL)
    AND (paused_at_ms IS NULL) = (paused_by_name IS NULL)),
  CHECK (replaces IS NULL OR replaces <> id)
) STRICT;

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
CREATE INDEX miftah_keys_by_creator ON miftah_keys (creator_id, workspace_id, position);
CREATE INDEX miftah_keys_by_pauser ON miftah_keys (paused_by_id) WHERE paused_by_id IS NOT NULL;
CREATE INDEX miftah_keys_by_end ON miftah_keys (min(coalesce(revoked_at_ms, 9007199254740991),
  coalesce(retires_at_ms, 9007199254740991), coalesce(expires_at_ms, 9007199254740991)))
  WHERE format IS NULL;

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
${TEXTS_ONLY}

CREATE TRIGGER miftah_keys_keep_texts_for_scopes
AFTER UPDATE OF scopes, resources, networks, metadata ON miftah_keys
${TEXTS_ONLY}

-- Who revokes a key by hand need not count: a revoked key never changes again.
CREATE TRIGGER miftah_keys_count_their_changes BEFORE UPDATE ON miftah_keys
WHEN NEW.version <> OLD.version + 1
  AND (NEW.version <> OLD.version OR NEW.revoked_at_ms IS NULL)
BEGIN
  SELECT RAISE(ABORT, 'miftah: every change of a key adds 1 to its version');
END;

-- The next three allow a change that does nothing but put the pseudonym in the place of people.
CREATE TRIGGER miftah_keys_keep_what_they_are
BEFORE UPDATE OF position, hash, id, workspace_id, environment, prefix, creator_id, creator_name,
  created_at_ms, replaces, format ON miftah_keys
WHEN NOT ${ONLY_PSEUDONYMS}
BEGIN
  SELECT RAISE(ABORT, 'miftah: a key keeps what it was created with');
END;

CREATE TRIGGER miftah_keys_stay_revoked BEFORE UPDATE ON miftah_keys
WHEN OLD.revoked_at_ms IS NOT NULL AND NOT ${ONLY_PSEUDONYMS}
BEGIN
  SELECT RAISE(ABORT, 'miftah: a revocation is never undone or moved, and a revoked key never changes');
END;

CREATE TRIGGER miftah_keys_stay_replaced
BEFORE UPDATE OF replaced_by, name, note, expires_at_ms, paused_at_ms, paused_by_id, paused_by_name,
  metadata ON miftah_keys
WHEN OLD.replaced_by IS NOT NULL AND NOT (
  (NEW.replaced_by, NEW.name, NEW.note, NEW.expires_at_ms, NEW.paused_at_ms, NEW.metadata)
  IS (OLD.replaced_by, OLD.name, OLD.note, OLD.expires_at_ms, OLD.paused_at_ms, OLD.metadata)
  AND ((NEW.paused_by_id, NEW.paused_by_name) IS (OLD.paused_by_id, OLD.paused_by_name)
    OR OLD.paused_by_id IS NOT NULL
      AND (NEW.paused_by_id, NEW.paused_by_name) IS ('miftah:erased', 'Erased'))
)
BEGIN
  SELECT RAISE(ABORT, 'miftah: a key is replaced once, and then only loses rights');
END;

-- Networks are compared as they are written: only the core knows which contains which.
CREATE TRIGGER miftah_keys_that_are_replaced_lose_rights
BEFORE UPDATE OF scopes, resources, networks ON miftah_keys
WHEN OLD.replaced_by IS NOT NULL AND (
  EXISTS (SELECT 1 FROM json_each(NEW.scopes)
    WHERE value NOT IN (SELECT value FROM json_each(OLD.scopes)))
  OR (NEW.networks = '"any"' AND OLD.networks <> '"any"')
  OR EXISTS (SELECT 1 FROM json_each(OLD.resources) AS o
    WHERE o.key NOT IN (SELECT key FROM json_each(NEW.resources)))
  OR EXISTS (SELECT 1 FROM json_each(NEW.resources) AS n, json_each(n.value) AS i,
      json_each(OLD.resources) AS o
    WHERE o.key = n.key AND i.value NOT IN (SELECT value FROM json_each(o.value)))
)
BEGIN
  SELECT RAISE(ABORT, 'miftah: a replaced key only loses rights');
END;

CREATE TRIGGER miftah_keys_retire_no_later BEFORE UPDATE OF retires_at_ms ON miftah_keys
WHEN OLD.retires_at_ms IS NOT NULL
  AND (NEW.retires_at_ms IS NULL OR NEW.retires_at_ms > OLD.retires_at_ms)
BEGIN
  SELECT RAISE(ABORT, 'miftah: the end of an overlap never moves later');
END;

-- Here and below, the clock in milliseconds is written for SQLite before 3.42, which has no
-- unixepoch('subsec').
CREATE TRIGGER miftah_keys_are_not_deleted BEFORE DELETE ON miftah_keys
WHEN NOT (OLD.revoked_at_ms IS NOT NULL
  OR coalesce(OLD.retires_at_ms
    <= ${NOW_MS}, 0)
  OR coalesce(OLD.expires_at_ms
    <= ${NOW_MS}, 0))
BEGIN
  SELECT RAISE(ABORT, 'miftah: keys are revoked, not deleted');
END;

-- How often each key was used, apart from the key, which changes only when somebody changes it.
CREATE TABLE miftah_usage (
  key_id TEXT PRIMARY KEY,
  uses INTEGER NOT NULL CHECK (uses BETWEEN 0 AND 9007199254740991),
  last_used_at_ms INTEGER CHECK (${isInstant('last_used_at_ms')})
) STRICT, WITHOUT ROWID;

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
  OR (NEW.last_used_at_ms < OLD.last_used_at_ms AND OLD.last_used_at_ms
    <= ${NOW_MS})
BEGIN
  SELECT RAISE(ABORT, 'miftah: uses and last use never go back');
END;

CREATE TRIGGER miftah_usage_is_not_deleted BEFORE DELETE ON miftah_usage
WHEN EXISTS (SELECT 1 FROM miftah_keys WHERE id = OLD.key_id)
BEGIN
  SELECT RAISE(ABORT, 'miftah: usage is kept with its key');
END;

-- How many keys of each workspace count towards the limit until somebody changes them.
CREATE TABLE miftah_workspaces (
  workspace_id TEXT PRIMARY KEY,
  keys_without_end INTEGER NOT NULL CHECK (keys_without_end >= 0),
  is_erased INTEGER NOT NULL DEFAULT 0 CHECK (is_erased IN (0, 1)),
  -- The latest end of a key that did not count any more when keys were counted against a limit.
  expired_to_ms INTEGER,
  -- How often the count was found too low, and the keys were counted again.
  recounts INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

CREATE TRIGGER miftah_workspaces_are_not_deleted BEFORE DELETE ON miftah_workspaces
BEGIN
  SELECT RAISE(ABORT, 'miftah: the counts of workspaces cannot be deleted');
END;

-- A workspace is counted from its first key without an end, be it new or changed. Without ON CONFLICT,
-- which a trigger takes over from the statement that fires it.
CREATE TRIGGER miftah_keys_are_counted AFTER INSERT ON miftah_keys
WHEN NEW.revoked_at_ms IS NULL AND NEW.retires_at_ms IS NULL AND NEW.expires_at_ms IS NULL
BEGIN
  INSERT INTO miftah_workspaces (workspace_id, keys_without_end)
  SELECT NEW.workspace_id, 0
  WHERE NOT EXISTS (SELECT 1 FROM miftah_workspaces WHERE workspace_id = NEW.workspace_id);
  UPDATE miftah_workspaces SET keys_without_end = keys_without_end + 1
  WHERE workspace_id = NEW.workspace_id;
END;

CREATE TRIGGER miftah_keys_are_counted_again AFTER UPDATE ON miftah_keys
WHEN (NEW.revoked_at_ms IS NULL AND NEW.retires_at_ms IS NULL AND NEW.expires_at_ms IS NULL)
  <> (OLD.revoked_at_ms IS NULL AND OLD.retires_at_ms IS NULL AND OLD.expires_at_ms IS NULL)
BEGIN
  INSERT INTO miftah_workspaces (workspace_id, keys_without_end)
  SELECT NEW.workspace_id, 0
  WHERE NOT EXISTS (SELECT 1 FROM miftah_workspaces WHERE workspace_id = NEW.workspace_id);
  -- A revocation must not fail because the count is too low.
  UPDATE miftah_workspaces
  SET keys_without_end = CASE
      WHEN NEW.revoked_at_ms IS NULL AND NEW.retires_at_ms IS NULL AND NEW.expires_at_ms IS NULL
        THEN keys_without_end + 1
      WHEN keys_without_end > 0 THEN keys_without_end - 1
      ELSE (SELECT count(*) FROM miftah_keys INDEXED BY miftah_keys_active
        WHERE miftah_keys.workspace_id = miftah_workspaces.workspace_id
          AND revoked_at_ms IS NULL AND retires_at_ms IS NULL AND expires_at_ms IS NULL) END,
    recounts = recounts + (keys_without_end = 0 AND NOT (NEW.revoked_at_ms IS NULL
      AND NEW.retires_at_ms IS NULL AND NEW.expires_at_ms IS NULL))
  WHERE workspace_id = NEW.workspace_id;
END;

-- The requests of each key by hour and by day: each count is in both. The period comes first, so that all rows of the current
-- hour are in a few pages. A key is its position; a trigger deletes its rows with it, because foreign
-- keys do nothing on a connection that has not turned them on.
CREATE TABLE miftah_usage_hours (
  hour INTEGER NOT NULL,
  key INTEGER NOT NULL,
  outcome INTEGER NOT NULL CHECK (outcome BETWEEN 0 AND 8),
  count INTEGER NOT NULL CHECK (count BETWEEN 1 AND 9007199254740991),
  PRIMARY KEY (hour, key, outcome)
) STRICT, WITHOUT ROWID;

CREATE INDEX miftah_usage_hours_of_key ON miftah_usage_hours (key, hour);

CREATE TABLE miftah_usage_days (
  day INTEGER NOT NULL,
  key INTEGER NOT NULL,
  outcome INTEGER NOT NULL CHECK (outcome BETWEEN 0 AND 8),
  count INTEGER NOT NULL CHECK (count BETWEEN 1 AND 9007199254740991),
  PRIMARY KEY (day, key, outcome)
) STRICT, WITHOUT ROWID;

CREATE INDEX miftah_usage_days_of_key ON miftah_usage_days (key, day);

-- One row: the first hour that is kept. What lies before it is read from the days.
CREATE TABLE miftah_usage_retention (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  first_hour INTEGER NOT NULL
) STRICT;

INSERT INTO miftah_usage_retention VALUES (1, 0);

CREATE TRIGGER miftah_keys_take_their_history_along AFTER DELETE ON miftah_keys
BEGIN
  DELETE FROM miftah_usage_hours WHERE key = OLD.position;
  DELETE FROM miftah_usage_days WHERE key = OLD.position;
END;

-- The last batch of each writer of uses.
CREATE TABLE miftah_writers (
  writer TEXT PRIMARY KEY,
  sequence INTEGER NOT NULL,
  seen_at_s INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX miftah_writers_by_age ON miftah_writers (seen_at_s);

-- The audit log.
CREATE TABLE miftah_events (
  position INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE CHECK (length(id) > 0),
  workspace_id TEXT NOT NULL,
  key_id TEXT NOT NULL,
  type TEXT NOT NULL CHECK (type IN ('api_key.created', 'api_key.imported', 'api_key.updated',
    'api_key.paused', 'api_key.resumed', 'api_key.rotated', 'api_key.revoked', 'api_key.expiring',
    'api_key.expired', 'api_key.retired')),
  at_ms INTEGER NOT NULL CHECK (${isInstant('at_ms')}),
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

CREATE INDEX miftah_events_of_workspace ON miftah_events (workspace_id, position);
CREATE INDEX miftah_events_of_key ON miftah_events (key_id, position);
CREATE INDEX miftah_events_by_actor ON miftah_events (actor_id);
CREATE INDEX miftah_events_by_time ON miftah_events (at_ms);

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

-- Unless the change does nothing but put the pseudonym in the place of the actor.
CREATE TRIGGER miftah_events_are_not_updated BEFORE UPDATE ON miftah_events
WHEN NOT (
  (NEW.position, NEW.id, NEW.workspace_id, NEW.key_id, NEW.type, NEW.at_ms, NEW.data)
  IS (OLD.position, OLD.id, OLD.workspace_id, OLD.key_id, OLD.type, OLD.at_ms, OLD.data)
  AND ((NEW.actor_id, NEW.actor_name) IS (OLD.actor_id, OLD.actor_name)
    OR (NEW.actor_id, NEW.actor_name) IS ('miftah:erased', 'Erased'))
)
BEGIN
  SELECT RAISE(ABORT, 'miftah: the audit log is append-only');
END;

CREATE TRIGGER miftah_events_are_not_deleted BEFORE DELETE ON miftah_events
WHEN EXISTS (SELECT 1 FROM miftah_outbox WHERE position = OLD.position)
BEGIN
  SELECT RAISE(ABORT, 'miftah: an event is deleted only after it was delivered');
END;

-- The events that no relay has acknowledged yet.
CREATE TABLE miftah_outbox (position INTEGER PRIMARY KEY) STRICT;

CREATE TRIGGER miftah_events_await_delivery AFTER INSERT ON miftah_events
BEGIN
  INSERT INTO miftah_outbox (position) VALUES (NEW.position);
END;

-- At most one row: who may deliver events, until when, and for how long it was granted.
CREATE TABLE miftah_lease (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  relay TEXT NOT NULL,
  until_ms INTEGER NOT NULL,
  lease_ms INTEGER NOT NULL
) STRICT;

-- Where purged keys and events were, for cursors.
CREATE TABLE miftah_purged (
  kind TEXT NOT NULL CHECK (kind IN ('key', 'event')),
  id TEXT NOT NULL,
  workspace_id TEXT NOT NULL,
  position INTEGER NOT NULL,
  PRIMARY KEY (kind, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX miftah_purged_of_workspace ON miftah_purged (workspace_id);

CREATE TRIGGER miftah_workspaces_stay_erased BEFORE UPDATE OF is_erased, workspace_id ON miftah_workspaces
WHEN NEW.is_erased < OLD.is_erased OR NEW.workspace_id <> OLD.workspace_id
BEGIN
  SELECT RAISE(ABORT, 'miftah: a workspace keeps its id, and an erased one is closed for good');
END;

-- INSERT OR REPLACE would put an open workspace in the place of an erased one.
CREATE TRIGGER miftah_workspaces_are_not_replaced BEFORE INSERT ON miftah_workspaces
WHEN EXISTS (SELECT 1 FROM miftah_workspaces WHERE workspace_id = NEW.workspace_id)
BEGIN
  SELECT RAISE(ABORT, 'miftah: this workspace is there already');
END;

CREATE TRIGGER miftah_keys_are_not_added_after_erasure BEFORE INSERT ON miftah_keys
WHEN EXISTS (SELECT 1 FROM miftah_workspaces WHERE workspace_id = NEW.workspace_id AND is_erased)
BEGIN
  SELECT RAISE(ABORT, 'miftah: an erased workspace is closed for good');
END;

-- When the log next reports the end of each key that has one: 7 days and 1 day before it, and then.
CREATE TABLE miftah_notices (
  key_id TEXT PRIMARY KEY,
  due_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX miftah_notices_by_time ON miftah_notices (due_at_ms);

CREATE TRIGGER miftah_keys_plan_a_notice AFTER INSERT ON miftah_keys
WHEN NEW.expires_at_ms IS NOT NULL OR NEW.retires_at_ms IS NOT NULL
BEGIN
  ${PLAN_NOTICE}
END;

CREATE TRIGGER miftah_keys_plan_another_notice
AFTER UPDATE OF expires_at_ms, retires_at_ms, revoked_at_ms ON miftah_keys
WHEN NEW.expires_at_ms IS NOT OLD.expires_at_ms OR NEW.retires_at_ms IS NOT OLD.retires_at_ms
  OR nullif(NEW.revoked_at_ms, NEW.retires_at_ms) IS NOT nullif(OLD.revoked_at_ms, OLD.retires_at_ms)
BEGIN
  DELETE FROM miftah_notices WHERE key_id = NEW.id;
  ${PLAN_NOTICE}
END;

CREATE TRIGGER miftah_keys_take_their_notices AFTER DELETE ON miftah_keys
BEGIN
  DELETE FROM miftah_notices WHERE key_id = OLD.id;
END;
`.trim()
