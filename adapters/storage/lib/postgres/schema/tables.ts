/*
 * The tables, with their constraints and indexes. Instants are milliseconds since the epoch, within
 * what a JavaScript date holds (ECMA-262 §21.4.1.1); numbers are at most `Number.MAX_SAFE_INTEGER`.
 * Every text has the collation "C": an index in the order of a locale misses rows once the system's
 * library sorts otherwise.
 */

const isInstant = (column: string) => `${column} BETWEEN -8640000000000000 AND 8640000000000000`

const KEYS = `
-- One row for each key. The hash of its secret is the only thing that is kept of it.
CREATE TABLE miftah.keys (
  id text COLLATE "C" PRIMARY KEY
    CONSTRAINT keys_id_length CHECK (id <> ''),
  hash bytea NOT NULL
    CONSTRAINT keys_hash UNIQUE
    CONSTRAINT keys_hash_length CHECK (octet_length(hash) = 32),
  workspace_id text COLLATE "C" NOT NULL
    CONSTRAINT keys_workspace_id_length CHECK (workspace_id <> ''),
  -- The order in which the keys of a workspace were created.
  seq bigint NOT NULL,
  name text COLLATE "C" NOT NULL
    CONSTRAINT keys_name_length CHECK (char_length(name) BETWEEN 1 AND 120),
  note text COLLATE "C"
    CONSTRAINT keys_note_length CHECK (char_length(note) BETWEEN 1 AND 200),
  environment text COLLATE "C" NOT NULL
    CONSTRAINT keys_environment CHECK (environment IN ('live', 'test')),
  scopes text[] COLLATE "C" NOT NULL
    CONSTRAINT keys_scopes CHECK (scopes = '{}' OR (
      array_ndims(scopes) = 1 AND array_lower(scopes, 1) = 1
      AND array_position(scopes, NULL) IS NULL AND array_position(scopes, '') IS NULL)),
  -- The ids that the key reaches, for each type of resource in which it is restricted.
  resources jsonb NOT NULL
    CONSTRAINT keys_resources CHECK (
      jsonb_typeof(resources) = 'object'
      AND NOT resources @? 'strict $.* ? (@.type() != "array")'
      AND NOT resources @? 'strict $.*[*] ? (@.type() != "string")'),
  -- "any", or the list of networks that the key may be used from.
  networks jsonb NOT NULL
    CONSTRAINT keys_networks CHECK (networks = '"any"' OR (
      jsonb_typeof(networks) = 'array' AND networks <> '[]'
      AND NOT networks @? 'strict $[*] ? (@.type() != "string")')),
  -- The first characters of the secret, by which people recognise it. Those of an imported key may
  -- be fewer.
  prefix text COLLATE "C" NOT NULL
    CONSTRAINT keys_prefix_length CHECK (char_length(prefix) = octet_length(prefix)
      AND (char_length(prefix) = 12
        OR (format IS NOT NULL AND char_length(prefix) BETWEEN 1 AND 12))),
  creator_id text COLLATE "C" NOT NULL
    CONSTRAINT keys_creator_id_length CHECK (creator_id <> ''),
  creator_name text COLLATE "C" NOT NULL
    CONSTRAINT keys_creator_name_length CHECK (creator_name <> ''),
  created_at_ms bigint NOT NULL
    CONSTRAINT keys_created_at CHECK (${isInstant('created_at_ms')}),
  revoked_at_ms bigint
    CONSTRAINT keys_revoked_at CHECK (${isInstant('revoked_at_ms')}),
  -- The keys before and after it, when it was rotated. A replaced key is revoked or retires.
  replaces text COLLATE "C"
    CONSTRAINT keys_replaces_length CHECK (replaces <> ''),
  replaced_by text COLLATE "C"
    CONSTRAINT keys_replaced_by_length CHECK (replaced_by <> ''),
  -- Every change of the key adds 1.
  version bigint NOT NULL
    CONSTRAINT keys_version CHECK (version BETWEEN 1 AND 9007199254740991),
  updated_at_ms bigint NOT NULL
    CONSTRAINT keys_updated_at CHECK (${isInstant('updated_at_ms')}),
  expires_at_ms bigint
    CONSTRAINT keys_expires_at CHECK (${isInstant('expires_at_ms')}),
  paused_at_ms bigint
    CONSTRAINT keys_paused_at CHECK (${isInstant('paused_at_ms')}),
  paused_by_id text COLLATE "C",
  paused_by_name text COLLATE "C",
  -- When the overlap with its replacement ends.
  retires_at_ms bigint
    CONSTRAINT keys_retires_at CHECK (${isInstant('retires_at_ms')}),
  metadata jsonb NOT NULL
    CONSTRAINT keys_metadata CHECK (
      jsonb_typeof(metadata) = 'object'
      AND NOT metadata @? 'strict $.* ? (@.type() != "string")'),
  -- The other system that issued the key, if it was imported.
  format text COLLATE "C"
    CONSTRAINT keys_format CHECK (format <> ''),
  CONSTRAINT keys_paused_by CHECK (
    (paused_at_ms IS NULL) = (paused_by_id IS NULL)
    AND (paused_at_ms IS NULL) = (paused_by_name IS NULL)
    AND (paused_by_id <> '') IS NOT FALSE AND (paused_by_name <> '') IS NOT FALSE),
  CONSTRAINT keys_replaced_ends CHECK (
    replaced_by IS NULL OR revoked_at_ms IS NOT NULL OR retires_at_ms IS NOT NULL),
  CONSTRAINT keys_retires_replaced CHECK (retires_at_ms IS NULL OR (
    replaced_by IS NOT NULL AND paused_at_ms IS NULL
    AND (retires_at_ms <= expires_at_ms) IS NOT FALSE)),
  CONSTRAINT keys_usage FOREIGN KEY (id) REFERENCES miftah.usage (id)
);

CREATE UNIQUE INDEX keys_one_successor ON miftah.keys (replaces)
  WHERE replaces IS NOT NULL;

-- The keys of a workspace by status, in the order in which lists show them.
CREATE UNIQUE INDEX keys_active ON miftah.keys (workspace_id, environment, seq)
  WHERE revoked_at_ms IS NULL;
CREATE UNIQUE INDEX keys_revoked ON miftah.keys (workspace_id, environment, seq)
  WHERE revoked_at_ms IS NOT NULL;
CREATE UNIQUE INDEX keys_paused ON miftah.keys (workspace_id, environment, seq)
  WHERE revoked_at_ms IS NULL AND paused_at_ms IS NOT NULL;
CREATE INDEX keys_expiring ON miftah.keys (workspace_id, expires_at_ms)
  WHERE revoked_at_ms IS NULL AND retires_at_ms IS NULL AND expires_at_ms IS NOT NULL;
CREATE INDEX keys_retiring ON miftah.keys (workspace_id, retires_at_ms)
  WHERE revoked_at_ms IS NULL AND retires_at_ms IS NOT NULL;

-- What finds the keys of a person, and dead keys.
CREATE INDEX keys_creator ON miftah.keys (creator_id);
CREATE INDEX keys_pauser ON miftah.keys (paused_by_id)
  WHERE paused_by_id IS NOT NULL;
CREATE INDEX keys_end ON miftah.keys ((LEAST(revoked_at_ms, retires_at_ms, expires_at_ms)))
  WHERE LEAST(revoked_at_ms, retires_at_ms, expires_at_ms) IS NOT NULL AND format IS NULL;`

const WORKSPACES = `
-- One row for each workspace that ever had a key. A change of its keys locks the row.
CREATE TABLE miftah.workspaces (
  workspace_id text COLLATE "C" PRIMARY KEY,
  changes bigint NOT NULL,
  -- How many keys count towards the limit until somebody changes them.
  keys_without_end bigint NOT NULL DEFAULT 0
    CONSTRAINT workspaces_keys_without_end CHECK (keys_without_end >= 0),
  -- The latest end of a key that did not count any more when keys were counted against a limit.
  expired_to_ms bigint,
  -- How often a count that was too low was repaired.
  recounts bigint NOT NULL DEFAULT 0,
  is_erased boolean NOT NULL DEFAULT false
) WITH (fillfactor = 50);`

const USAGE = `
-- The uses of each key. In a table of its own, so that counting them leaves the rows of keys alone.
CREATE TABLE miftah.usage (
  id text COLLATE "C" PRIMARY KEY,
  uses bigint NOT NULL
    CONSTRAINT usage_uses CHECK (uses BETWEEN 0 AND 9007199254740991),
  last_used_at_ms bigint
    CONSTRAINT usage_last_used_at CHECK (${isInstant('last_used_at_ms')})
) WITH (fillfactor = 85);

-- The requests of each key by hour and by day since the epoch, and by outcome: each count is in
-- both. The period comes
-- first in the primary key, so that the rows of the current hour are in a few pages of it; the
-- columns are in the order that needs no padding. Rows reference usage, not keys: a batch and a
-- deletion both lock rows of usage first, so they cannot deadlock.
CREATE TABLE miftah.usage_hours (
  count bigint NOT NULL
    CONSTRAINT usage_hours_count CHECK (count BETWEEN 1 AND 9007199254740991),
  hour integer NOT NULL,
  outcome smallint NOT NULL
    CONSTRAINT usage_hours_outcome CHECK (outcome BETWEEN 0 AND 8),
  id text COLLATE "C" NOT NULL REFERENCES miftah.usage (id) ON DELETE CASCADE,
  PRIMARY KEY (hour, id, outcome)
) WITH (fillfactor = 85);
CREATE INDEX usage_hours_of_key ON miftah.usage_hours (id);

CREATE TABLE miftah.usage_days (
  count bigint NOT NULL
    CONSTRAINT usage_days_count CHECK (count BETWEEN 1 AND 9007199254740991),
  day integer NOT NULL,
  outcome smallint NOT NULL
    CONSTRAINT usage_days_outcome CHECK (outcome BETWEEN 0 AND 8),
  id text COLLATE "C" NOT NULL REFERENCES miftah.usage (id) ON DELETE CASCADE,
  PRIMARY KEY (day, id, outcome)
) WITH (fillfactor = 85);
CREATE INDEX usage_days_of_key ON miftah.usage_days (id);

-- The first hour that is kept: what lies before it is read from the days. Beside it, where to look
-- for what is too old: PostgreSQL keeps the entries of deleted rows in an index until a vacuum, and
-- reading them again would make every batch slower.
CREATE TABLE miftah.usage_retention (
  is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  first_hour integer NOT NULL DEFAULT 0,
  hours_from integer NOT NULL DEFAULT 0,
  days_from integer NOT NULL DEFAULT 0
);
INSERT INTO miftah.usage_retention DEFAULT VALUES;

-- The last batch of each process that counts uses, by which a repeat is recognised.
CREATE TABLE miftah.writers (
  writer text COLLATE "C" PRIMARY KEY,
  sequence bigint NOT NULL,
  seen_at timestamptz NOT NULL
);
CREATE INDEX writers_by_age ON miftah.writers (seen_at);`

const EVENTS = `
-- The audit log. In strict mode an array does not stand for its elements.
CREATE TABLE miftah.events (
  id text COLLATE "C" NOT NULL
    CONSTRAINT events_id UNIQUE
    CONSTRAINT events_id_length CHECK (id <> ''),
  workspace_id text COLLATE "C" NOT NULL
    CONSTRAINT events_workspace_id_length CHECK (workspace_id <> ''),
  seq bigint NOT NULL,
  type text COLLATE "C" NOT NULL
    CONSTRAINT events_type CHECK (type IN (
      'api_key.created', 'api_key.imported', 'api_key.updated', 'api_key.paused',
      'api_key.resumed', 'api_key.rotated', 'api_key.revoked', 'api_key.expiring',
      'api_key.expired', 'api_key.retired')),
  at_ms bigint NOT NULL
    CONSTRAINT events_at CHECK (${isInstant('at_ms')}),
  actor_id text COLLATE "C" NOT NULL,
  actor_name text COLLATE "C" NOT NULL,
  key_id text COLLATE "C" NOT NULL
    CONSTRAINT events_key_id_length CHECK (key_id <> ''),
  data jsonb NOT NULL
    CONSTRAINT events_data CHECK ((data @? 'strict $ ? (
      @.name.type() == "string" && @.prefix.type() == "string" &&
      (@.environment == "live" || @.environment == "test") &&
      @.scopes.type() == "array" && !exists(@.scopes[*] ? (@.type() != "string")))') IS TRUE),
  PRIMARY KEY (workspace_id, seq),
  CONSTRAINT events_format CHECK (type <> 'api_key.imported'
    OR (data @? 'strict $ ? (@.format.type() == "string")') IS TRUE),
  CONSTRAINT events_changes CHECK (type <> 'api_key.updated'
    OR (data @? 'strict $ ? (@.before.type() == "object" && @.after.type() == "object")') IS TRUE),
  CONSTRAINT events_replacement CHECK (type <> 'api_key.rotated' OR (data @? 'strict $ ? (
    @.replacementId.type() == "string" && @.replacementPrefix.type() == "string")') IS TRUE),
  CONSTRAINT events_expiry CHECK (type NOT IN ('api_key.expiring', 'api_key.expired')
    OR (data @? 'strict $ ? (@.expiresAt.type() == "string")') IS TRUE),
  CONSTRAINT events_retirement CHECK (type <> 'api_key.retired' OR (data @? 'strict $ ? (
    @.replacementId.type() == "string" && @.overlapEndsAt.type() == "string")') IS TRUE)
);
CREATE INDEX events_of_key ON miftah.events (key_id, seq);
CREATE INDEX events_actor ON miftah.events (actor_id);
CREATE INDEX events_by_time ON miftah.events (at_ms);

-- The events that are still to be delivered.
CREATE TABLE miftah.outbox (
  position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  event_id text COLLATE "C" NOT NULL UNIQUE
);

-- The one row says who delivers events, and how far they are acknowledged: acknowledged_to is a position in
-- outbox with nothing left to deliver up to it, now or later. A claim begins there, so that it does
-- not read the entries of acknowledged events again, which PostgreSQL keeps for as long as an older
-- snapshot of any program is open.
--
-- A position is taken before its event is committed, so an earlier one may still turn up. Its
-- transaction has an id, though, which is lower than that of a transaction that began once a later
-- position was acknowledged. So next_acknowledged_to counts when all transactions before next_after have
-- ended.
CREATE TABLE miftah.relay (
  is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  holder text COLLATE "C",
  until_ms bigint NOT NULL,
  lease_ms bigint NOT NULL DEFAULT 0,
  acknowledged_to bigint NOT NULL DEFAULT 0,
  next_acknowledged_to bigint,
  next_after xid8
);
INSERT INTO miftah.relay (until_ms) VALUES (-9007199254740991);

-- When the next event about the end of a key is due, kept by triggers.
CREATE TABLE miftah.notices (
  id text COLLATE "C" PRIMARY KEY REFERENCES miftah.keys (id) ON DELETE CASCADE,
  due_at_ms bigint NOT NULL
);
CREATE INDEX notices_by_time ON miftah.notices (due_at_ms);

-- The places of purged rows, for the cursors that name them.
CREATE TABLE miftah.purged (
  kind text COLLATE "C" NOT NULL
    CONSTRAINT purged_kind CHECK (kind IN ('key', 'event')),
  id text COLLATE "C" NOT NULL,
  workspace_id text COLLATE "C" NOT NULL,
  seq bigint NOT NULL,
  PRIMARY KEY (kind, id)
);
CREATE INDEX purged_workspace ON miftah.purged (workspace_id);`

const CACHE = `
-- The log of changes that nodes with a cache apply. Until the first node registers nothing is
-- written; a change only shares a lock on the clock, so that it commits before the node is there.
-- The row lock on the clock makes the order of the sequences that of the commits, without gaps.
CREATE TABLE miftah.change_clock (
  is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  head bigint NOT NULL DEFAULT 0,
  is_used boolean NOT NULL DEFAULT false
) WITH (fillfactor = 50);
INSERT INTO miftah.change_clock DEFAULT VALUES;

CREATE TABLE miftah.changes (
  sequence bigint PRIMARY KEY,
  kind text COLLATE "C" NOT NULL
    CONSTRAINT changes_kind CHECK (kind IN ('key', 'plan', 'everything')),
  hash bytea
    CONSTRAINT changes_hash CHECK ((kind = 'key') = (hash IS NOT NULL)),
  workspace_id text COLLATE "C"
    CONSTRAINT changes_workspace_id CHECK (kind = 'plan' OR workspace_id IS NULL),
  at timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp()
);

-- The nodes with a cache, and how far each has applied the log.
CREATE TABLE miftah.nodes (
  node text COLLATE "C" PRIMARY KEY,
  lease_ms bigint NOT NULL,
  renewal bigint NOT NULL DEFAULT 0,
  since bigint NOT NULL DEFAULT 0,
  acked bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 50);`

/** A table comes after those that it references. */
export const TABLES = [WORKSPACES, USAGE, KEYS, EVENTS, CACHE].join('\n')
