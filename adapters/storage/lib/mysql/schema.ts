const isInstant = (column: string) => `${column} BETWEEN -8640000000000000 AND 8640000000000000`

/** How every table is kept. Texts without a charset of their own compare as bytes. */
const KEPT = 'ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin'

/**
 * Every table and index, as version 1 creates them. Each statement can be run again, because no server
 * like MySQL runs several of these in one transaction. Instants are milliseconds since the epoch that a
 * JavaScript date can hold (ECMA-262 §21.4.1.1); 9007199254740991 is the largest safe integer.
 *
 * Ids are VARBINARY: every collation of text in MySQL merges what differs in trailing spaces, or in more.
 * The core bounds them to 255 code points, which are at most 1,020 bytes. Once released, this text
 * never changes: a change of the schema is a further migration.
 */
export const VERSION_1 = `
-- Which migrations have been applied.
CREATE TABLE IF NOT EXISTS miftah_migrations (
  version INT NOT NULL PRIMARY KEY,
  applied_at_s BIGINT NOT NULL
) ${KEPT};

-- Keys. Within a workspace the position is the order of insertion.
CREATE TABLE IF NOT EXISTS miftah_keys (
  position BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
  hash BINARY(32) NOT NULL,
  id VARBINARY(1020) NOT NULL,
  workspace_id VARBINARY(1020) NOT NULL,
  name VARCHAR(120) NOT NULL,
  note VARCHAR(200),
  environment VARBINARY(4) NOT NULL,
  scopes MEDIUMTEXT NOT NULL,
  -- The ids that the key reaches, for each type of resource in which it is restricted.
  resources MEDIUMTEXT NOT NULL,
  -- "any", or the list of networks that the key may be used from.
  networks MEDIUMTEXT NOT NULL,
  prefix VARBINARY(12) NOT NULL,
  creator_id VARBINARY(1020) NOT NULL,
  creator_name TEXT NOT NULL,
  created_at_ms BIGINT NOT NULL,
  revoked_at_ms BIGINT,
  replaces VARBINARY(1020),
  replaced_by VARBINARY(1020),
  version BIGINT NOT NULL,
  updated_at_ms BIGINT NOT NULL,
  expires_at_ms BIGINT,
  paused_at_ms BIGINT,
  paused_by_id VARBINARY(1020),
  paused_by_name TEXT,
  retires_at_ms BIGINT,
  metadata MEDIUMTEXT NOT NULL,
  format VARBINARY(1020),
  -- When the log next reports the end of the key.
  notice_at_ms BIGINT,
  -- When the key stopped or stops for good.
  ends_at_ms BIGINT GENERATED ALWAYS AS (LEAST(COALESCE(revoked_at_ms, 9007199254740991),
    COALESCE(retires_at_ms, 9007199254740991), COALESCE(expires_at_ms, 9007199254740991))) STORED,
  -- Differs once anything above has changed, by whatever statement. QUOTE tells NULL from a text, and where it ends.
  fingerprint CHAR(64) CHARACTER SET ascii COLLATE ascii_bin GENERATED ALWAYS AS (SHA2(CONCAT(
    QUOTE(hash), QUOTE(id), QUOTE(workspace_id), QUOTE(name), QUOTE(note), QUOTE(environment),
    QUOTE(scopes), QUOTE(resources), QUOTE(networks), QUOTE(prefix), QUOTE(creator_id),
    QUOTE(creator_name), QUOTE(created_at_ms), QUOTE(revoked_at_ms), QUOTE(replaces),
    QUOTE(replaced_by), QUOTE(version), QUOTE(updated_at_ms), QUOTE(expires_at_ms),
    QUOTE(paused_at_ms), QUOTE(paused_by_id), QUOTE(paused_by_name), QUOTE(retires_at_ms),
    QUOTE(metadata), QUOTE(format)), 256)) STORED,
  UNIQUE KEY miftah_keys_by_hash (hash),
  UNIQUE KEY miftah_keys_by_id (id),
  UNIQUE KEY miftah_keys_by_replaced (replaces),
  UNIQUE KEY miftah_keys_by_replacement (replaced_by),
  KEY miftah_keys_of_workspace (workspace_id, position),
  KEY miftah_keys_living (workspace_id, revoked_at_ms, retires_at_ms, expires_at_ms),
  KEY miftah_keys_by_creator (creator_id, workspace_id),
  KEY miftah_keys_by_pauser (paused_by_id),
  KEY miftah_keys_by_end (ends_at_ms),
  KEY miftah_keys_by_notice (notice_at_ms),
  CHECK (LENGTH(id) > 0 AND LENGTH(workspace_id) > 0 AND LENGTH(creator_id) > 0),
  CHECK (CHAR_LENGTH(name) > 0 AND CHAR_LENGTH(note) > 0 AND CHAR_LENGTH(creator_name) > 0),
  CHECK (environment IN ('live', 'test')),
  CHECK (JSON_VALID(scopes) AND JSON_VALID(resources) AND JSON_VALID(networks) AND JSON_VALID(metadata)),
  CHECK (LENGTH(prefix) = 12 OR (format IS NOT NULL AND LENGTH(prefix) > 0)),
  CHECK (LENGTH(replaces) > 0 AND LENGTH(replaced_by) > 0 AND LENGTH(format) > 0),
  CHECK (${isInstant('created_at_ms')} AND ${isInstant('updated_at_ms')}),
  CHECK (${isInstant('revoked_at_ms')}),
  CHECK (${isInstant('expires_at_ms')}),
  CHECK (${isInstant('paused_at_ms')}),
  CHECK (${isInstant('retires_at_ms')}),
  CHECK (version BETWEEN 1 AND 9007199254740991),
  CHECK (replaced_by IS NULL OR revoked_at_ms IS NOT NULL OR retires_at_ms IS NOT NULL),
  CHECK (retires_at_ms IS NULL OR (replaced_by IS NOT NULL AND paused_at_ms IS NULL)),
  CHECK (retires_at_ms <= expires_at_ms),
  CHECK ((paused_at_ms IS NULL) = (paused_by_id IS NULL)
    AND (paused_at_ms IS NULL) = (paused_by_name IS NULL)),
  CHECK (replaces <> id)
) ${KEPT};

-- How often each key was used, apart from the key, which changes only when somebody changes it.
CREATE TABLE IF NOT EXISTS miftah_usage (
  key_id VARBINARY(1020) NOT NULL PRIMARY KEY,
  uses BIGINT NOT NULL,
  last_used_at_ms BIGINT,
  CHECK (uses BETWEEN 0 AND 9007199254740991),
  CHECK (${isInstant('last_used_at_ms')})
) ${KEPT};

-- The requests of each key by hour and by day: each count is in both. The period comes first, so that all
-- rows of the current hour are in a few pages. A key is its position.
CREATE TABLE IF NOT EXISTS miftah_usage_hours (
  hour BIGINT NOT NULL,
  key_position BIGINT NOT NULL,
  outcome TINYINT NOT NULL,
  count BIGINT NOT NULL,
  PRIMARY KEY (hour, key_position, outcome),
  KEY miftah_usage_hours_of_key (key_position, hour),
  CHECK (count BETWEEN 1 AND 9007199254740991)
) ${KEPT};

CREATE TABLE IF NOT EXISTS miftah_usage_days (
  day BIGINT NOT NULL,
  key_position BIGINT NOT NULL,
  outcome TINYINT NOT NULL,
  count BIGINT NOT NULL,
  PRIMARY KEY (day, key_position, outcome),
  KEY miftah_usage_days_of_key (key_position, day),
  CHECK (count BETWEEN 1 AND 9007199254740991)
) ${KEPT};

-- One row: the first hour that is kept. What lies before it is read from the days.
CREATE TABLE IF NOT EXISTS miftah_usage_retention (
  one TINYINT NOT NULL PRIMARY KEY,
  first_hour BIGINT NOT NULL
) ${KEPT};

INSERT IGNORE INTO miftah_usage_retention VALUES (1, 0);

-- The last batch of each writer of uses.
CREATE TABLE IF NOT EXISTS miftah_writers (
  writer VARBINARY(1020) NOT NULL PRIMARY KEY,
  sequence BIGINT NOT NULL,
  seen_at_s BIGINT NOT NULL,
  KEY miftah_writers_by_age (seen_at_s)
) ${KEPT};

-- Each change of a workspace writes its row, which is the workspace's lock: on a cluster two servers
-- grant a lock on the same row at once, but only one of two writes is committed.
CREATE TABLE IF NOT EXISTS miftah_workspaces (
  workspace_id VARBINARY(1020) NOT NULL PRIMARY KEY,
  changes BIGINT NOT NULL,
  is_erased TINYINT NOT NULL DEFAULT 0,
  -- The latest end of a key that did not count any more when keys were counted against a limit.
  expired_to_ms BIGINT
) ${KEPT};

-- The audit log. What no relay has acknowledged is pending (1); the rest is NULL.
CREATE TABLE IF NOT EXISTS miftah_events (
  position BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
  id VARBINARY(1020) NOT NULL,
  workspace_id VARBINARY(1020) NOT NULL,
  key_id VARBINARY(1020) NOT NULL,
  type VARBINARY(32) NOT NULL,
  at_ms BIGINT NOT NULL,
  actor_id VARBINARY(1020) NOT NULL,
  actor_name TEXT NOT NULL,
  data MEDIUMTEXT NOT NULL,
  is_pending TINYINT DEFAULT 1,
  UNIQUE KEY miftah_events_by_id (id),
  KEY miftah_events_of_workspace (workspace_id, position),
  KEY miftah_events_of_key (key_id, position),
  KEY miftah_events_by_actor (actor_id),
  KEY miftah_events_by_time (at_ms),
  KEY miftah_events_pending (is_pending, position),
  CHECK (LENGTH(id) > 0),
  CHECK (${isInstant('at_ms')}),
  CHECK (type IN ('api_key.created', 'api_key.imported', 'api_key.updated', 'api_key.paused',
    'api_key.resumed', 'api_key.rotated', 'api_key.revoked', 'api_key.expiring', 'api_key.expired',
    'api_key.retired')),
  CHECK (JSON_VALID(data)),
  CHECK (is_pending = 1)
) ${KEPT};

-- One row: who may deliver events, until when, and for how long it was granted.
CREATE TABLE IF NOT EXISTS miftah_lease (
  one TINYINT NOT NULL PRIMARY KEY,
  relay VARBINARY(1020),
  until_ms BIGINT NOT NULL,
  lease_ms BIGINT NOT NULL,
  writes BIGINT NOT NULL
) ${KEPT};

INSERT IGNORE INTO miftah_lease VALUES (1, NULL, 0, 0, 0);

-- Where purged keys and events were, for cursors.
CREATE TABLE IF NOT EXISTS miftah_purged (
  kind VARBINARY(5) NOT NULL,
  id VARBINARY(1020) NOT NULL,
  workspace_id VARBINARY(1020) NOT NULL,
  position BIGINT NOT NULL,
  PRIMARY KEY (kind, id),
  KEY miftah_purged_of_workspace (workspace_id),
  CHECK (kind IN ('key', 'event'))
) ${KEPT};

-- The log of changes that nodes with a cache apply: its head, its last entries and the nodes.
CREATE TABLE IF NOT EXISTS miftah_change_clock (
  one TINYINT NOT NULL PRIMARY KEY,
  head BIGINT NOT NULL,
  is_used TINYINT NOT NULL
) ${KEPT};

INSERT IGNORE INTO miftah_change_clock VALUES (1, 0, 0);

CREATE TABLE IF NOT EXISTS miftah_changes (
  sequence BIGINT NOT NULL PRIMARY KEY,
  kind VARBINARY(10) NOT NULL,
  hash BINARY(32),
  workspace_id VARBINARY(1020),
  CHECK (kind IN ('key', 'plan', 'everything') AND (kind = 'key') = (hash IS NOT NULL))
) ${KEPT};

CREATE TABLE IF NOT EXISTS miftah_nodes (
  node VARBINARY(1020) NOT NULL PRIMARY KEY,
  lease_ms BIGINT NOT NULL,
  -- Its renewal with the highest number, and the first one since the log went back.
  renewal BIGINT NOT NULL DEFAULT 0,
  since BIGINT NOT NULL DEFAULT 0,
  -- The last entry that it has acknowledged.
  acked BIGINT NOT NULL DEFAULT 0
) ${KEPT};
`.trim()
