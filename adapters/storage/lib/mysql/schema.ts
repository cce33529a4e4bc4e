/**
 * Every table and index, as version 1 creates them. Each statement can be run again, because no server like MySQL
 * runs several of these in one transaction. Instants are milliseconds since the epoch; 9007199254740991 is the
 * largest safe integer.
 *
 * Ids are VARBINARY: every collation of text in MySQL merges what differs in trailing spaces, or in more. The core
 * bounds them to 255 code points, which are at most 1,020 bytes. Once released, this text never changes: a change
 * of the schema is a further migration.
 */
export const VERSION_1 = `
-- One row: the version of these tables.
CREATE TABLE IF NOT EXISTS miftah_schema (
  version INT NOT NULL PRIMARY KEY
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- Each change of a workspace writes its row first, which is the lock of the workspace.
CREATE TABLE IF NOT EXISTS miftah_workspaces (
  id VARBINARY(1020) NOT NULL PRIMARY KEY,
  -- The last place of a key or an event.
  revision BIGINT NOT NULL,
  -- Grows with each key that begins to count, begins to retire or lasts longer.
  added BIGINT NOT NULL,
  is_erased TINYINT NOT NULL
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE IF NOT EXISTS miftah_keys (
  id VARBINARY(1020) NOT NULL PRIMARY KEY,
  hash BINARY(32) NOT NULL,
  workspace_id VARBINARY(1020) NOT NULL,
  -- The order of creation in the workspace.
  place BIGINT NOT NULL,
  -- Grows with each write of the row.
  edition BIGINT NOT NULL,
  name TEXT NOT NULL,
  note TEXT,
  environment VARBINARY(4) NOT NULL,
  scopes MEDIUMTEXT NOT NULL,
  -- The ids that the key reaches, for each type of resource in which it is restricted.
  resources MEDIUMTEXT NOT NULL,
  -- "any", or the list of networks that the key may be used from.
  networks MEDIUMTEXT NOT NULL,
  prefix VARBINARY(48) NOT NULL,
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
  -- When the audit log next reports the end of the key.
  notice_at_ms BIGINT,
  written_at_ms BIGINT NOT NULL,
  -- When the key stopped or stops for good.
  ends_at_ms BIGINT GENERATED ALWAYS AS (LEAST(COALESCE(revoked_at_ms, 9007199254740991),
    COALESCE(retires_at_ms, 9007199254740991), COALESCE(expires_at_ms, 9007199254740991))) STORED,
  UNIQUE KEY by_hash (hash),
  UNIQUE KEY by_replaced (replaces),
  UNIQUE KEY of_workspace (workspace_id, place),
  KEY living (workspace_id, revoked_at_ms, retires_at_ms, expires_at_ms),
  KEY by_creator (creator_id),
  KEY by_pauser (paused_by_id),
  KEY by_end (ends_at_ms),
  KEY by_notice (notice_at_ms),
  CHECK (LENGTH(id) > 0 AND LENGTH(workspace_id) > 0 AND LENGTH(name) > 0 AND LENGTH(creator_id) > 0),
  CHECK (environment IN ('live', 'test')),
  CHECK (JSON_VALID(scopes) AND JSON_VALID(resources) AND JSON_VALID(networks) AND JSON_VALID(metadata)),
  CHECK (version > 0)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- How often each key was used, apart from the key, which changes only when somebody changes it.
CREATE TABLE IF NOT EXISTS miftah_usage (
  key_id VARBINARY(1020) NOT NULL PRIMARY KEY,
  uses BIGINT NOT NULL,
  last_used_at_ms BIGINT,
  CHECK (uses >= 0)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- The requests of each key by hour and outcome.
CREATE TABLE IF NOT EXISTS miftah_hourly_usage (
  key_id VARBINARY(1020) NOT NULL,
  hour BIGINT NOT NULL,
  outcome TINYINT NOT NULL,
  count BIGINT NOT NULL,
  PRIMARY KEY (key_id, hour, outcome),
  KEY by_hour (hour),
  CHECK (count > 0)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- The last batch of each writer of uses.
CREATE TABLE IF NOT EXISTS miftah_writers (
  id VARBINARY(1020) NOT NULL PRIMARY KEY,
  sequence BIGINT NOT NULL,
  written_at_ms BIGINT NOT NULL,
  KEY by_age (written_at_ms)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- The audit log.
CREATE TABLE IF NOT EXISTS miftah_events (
  workspace_id VARBINARY(1020) NOT NULL,
  place BIGINT NOT NULL,
  -- Microseconds of this server's clock, growing within a workspace: the order of delivery.
  position BIGINT NOT NULL,
  id VARBINARY(1020) NOT NULL,
  key_id VARBINARY(1020) NOT NULL,
  type VARBINARY(32) NOT NULL,
  at_ms BIGINT NOT NULL,
  actor_id VARBINARY(1020) NOT NULL,
  actor_name TEXT NOT NULL,
  data MEDIUMTEXT NOT NULL,
  is_pending TINYINT NOT NULL,
  written_at_ms BIGINT NOT NULL,
  PRIMARY KEY (workspace_id, place),
  UNIQUE KEY by_id (id),
  KEY of_key (key_id, place),
  KEY by_actor (actor_id),
  KEY by_time (is_pending, at_ms),
  KEY pending (is_pending, position),
  CHECK (LENGTH(id) > 0),
  CHECK (JSON_VALID(data)),
  CHECK (is_pending IN (0, 1))
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- One row: who may deliver events, and until when.
CREATE TABLE IF NOT EXISTS miftah_relay (
  one TINYINT NOT NULL PRIMARY KEY CHECK (one = 1),
  relay VARBINARY(1020),
  leased_until_ms BIGINT NOT NULL,
  -- For how long it was granted.
  lease_ms BIGINT NOT NULL
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

INSERT IGNORE INTO miftah_relay VALUES (1, NULL, 0, 0);

-- The log of changes for processes that answer from memory: one row of its head, and whether it is used.
CREATE TABLE IF NOT EXISTS miftah_clock (
  one TINYINT NOT NULL PRIMARY KEY CHECK (one = 1),
  head BIGINT NOT NULL,
  is_used TINYINT NOT NULL
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

INSERT IGNORE INTO miftah_clock VALUES (1, 0, 0);

-- Its last entries.
CREATE TABLE IF NOT EXISTS miftah_log (
  sequence BIGINT NOT NULL PRIMARY KEY,
  kind VARBINARY(10) NOT NULL,
  hash BINARY(32),
  workspace_id VARBINARY(1020),
  written_at_ms BIGINT NOT NULL,
  CHECK (kind IN ('key', 'plan', 'everything') AND (kind = 'key') = (hash IS NOT NULL))
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- The processes that apply it.
CREATE TABLE IF NOT EXISTS miftah_nodes (
  node VARBINARY(1020) NOT NULL PRIMARY KEY,
  lease_ms BIGINT NOT NULL,
  -- The renewal with the highest number, and the first one since the log went back.
  renewal BIGINT NOT NULL,
  since BIGINT NOT NULL,
  -- The last entry that the process has applied.
  acknowledged BIGINT NOT NULL
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
`.trim()
