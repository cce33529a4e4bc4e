import type { Names } from '../names.ts'

/** The instants that a JavaScript date can hold (ECMA-262 §21.4.1.1). */
const INSTANTS = '-8640000000000000 AND 8640000000000000'

/** What an event tells of its key. In strict mode an array does not stand for its elements. */
const SNAPSHOT = `strict $ ? (
      @.name.type() == "string" && @.prefix.type() == "string" &&
      (@.environment == "live" || @.environment == "test") &&
      @.scopes.type() == "array" && !exists(@.scopes[*] ? (@.type() != "string")))`

/** What it tells of the key that took its place. */
const REPLACEMENT = `strict $ ? (
      @.replacementId.type() == "string" && @.replacementPrefix.type() == "string")`

/**
 * Version 1: the tables. Their constraints refuse every row that the library could not read. Instants are milliseconds since the epoch (UTC), as in the contract, so
 * that nothing is rounded or shifted on the way.
 *
 * `seq` counts the changes of one workspace. It is handed out under the lock of the workspace's
 * row, so within a workspace its order is the order of the commits, without gaps that fill later.
 */
export function tables({ at, bare }: Names): string {
  return `
  CREATE TABLE ${at('workspaces')} (
    workspace_id text COLLATE "C" PRIMARY KEY,
    changes bigint NOT NULL
  ) WITH (fillfactor = 50);

  CREATE TABLE ${at('keys')} (
    id text COLLATE "C" PRIMARY KEY CONSTRAINT ${bare('keys_id_length')} CHECK (id <> ''),
    hash bytea NOT NULL
      CONSTRAINT ${bare('keys_hash')} UNIQUE
      CONSTRAINT ${bare('keys_hash_length')} CHECK (octet_length(hash) = 32),
    workspace_id text COLLATE "C" NOT NULL
      CONSTRAINT ${bare('keys_workspace_id_length')} CHECK (workspace_id <> ''),
    seq bigint NOT NULL,
    name text NOT NULL
      CONSTRAINT ${bare('keys_name_length')} CHECK (char_length(name) BETWEEN 1 AND 120),
    environment text COLLATE "C" NOT NULL
      CONSTRAINT ${bare('keys_environment')} CHECK (environment IN ('live', 'test')),
    scopes text[] NOT NULL
      CONSTRAINT ${bare('keys_scopes')} CHECK (scopes = '{}' OR (
        array_ndims(scopes) = 1 AND array_lower(scopes, 1) = 1
        AND array_position(scopes, NULL) IS NULL AND array_position(scopes, '') IS NULL)),
    prefix text NOT NULL
      CONSTRAINT ${bare('keys_prefix_length')} CHECK (char_length(prefix) = 12 AND octet_length(prefix) = 12),
    creator_id text NOT NULL
      CONSTRAINT ${bare('keys_creator_id_length')} CHECK (creator_id <> ''),
    creator_name text NOT NULL
      CONSTRAINT ${bare('keys_creator_name_length')} CHECK (creator_name <> ''),
    created_at_ms bigint NOT NULL
      CONSTRAINT ${bare('keys_created_at')} CHECK (created_at_ms BETWEEN ${INSTANTS}),
    last_used_at_ms bigint
      CONSTRAINT ${bare('keys_last_used_at')} CHECK (last_used_at_ms BETWEEN ${INSTANTS}),
    uses bigint NOT NULL
      CONSTRAINT ${bare('keys_uses')} CHECK (uses BETWEEN 0 AND ${Number.MAX_SAFE_INTEGER}),
    revoked_at_ms bigint
      CONSTRAINT ${bare('keys_revoked_at')} CHECK (revoked_at_ms BETWEEN ${INSTANTS}),
    replaces text COLLATE "C"
      CONSTRAINT ${bare('keys_replaces_length')} CHECK (replaces <> ''),
    replaced_by text COLLATE "C"
      CONSTRAINT ${bare('keys_replaced_by_length')} CHECK (replaced_by <> ''),
    CONSTRAINT ${bare('keys_replaced_is_revoked')}
      CHECK (replaced_by IS NULL OR revoked_at_ms IS NOT NULL)
  ) WITH (fillfactor = 85);

  CREATE UNIQUE INDEX ${bare('keys_one_successor')} ON ${at('keys')} (replaces)
    WHERE replaces IS NOT NULL;
  CREATE UNIQUE INDEX ${bare('keys_active')} ON ${at('keys')} (workspace_id, environment, seq)
    WHERE revoked_at_ms IS NULL;
  CREATE UNIQUE INDEX ${bare('keys_revoked')} ON ${at('keys')} (workspace_id, environment, seq)
    WHERE revoked_at_ms IS NOT NULL;

  CREATE TABLE ${at('events')} (
    id text COLLATE "C" CONSTRAINT ${bare('events_id')} UNIQUE NOT NULL
      CONSTRAINT ${bare('events_id_length')} CHECK (id <> ''),
    workspace_id text COLLATE "C" NOT NULL
      CONSTRAINT ${bare('events_workspace_id_length')} CHECK (workspace_id <> ''),
    seq bigint NOT NULL,
    type text NOT NULL CONSTRAINT ${bare('events_type')}
      CHECK (type IN ('api_key.created', 'api_key.rotated', 'api_key.revoked')),
    at_ms bigint NOT NULL
      CONSTRAINT ${bare('events_at')} CHECK (at_ms BETWEEN ${INSTANTS}),
    actor_id text NOT NULL,
    actor_name text NOT NULL,
    key_id text COLLATE "C" NOT NULL
      CONSTRAINT ${bare('events_key_id_length')} CHECK (key_id <> ''),
    data jsonb NOT NULL
      CONSTRAINT ${bare('events_data')} CHECK ((data @? '${SNAPSHOT}') IS TRUE),
    CONSTRAINT ${bare('events_replacement')}
      CHECK (type <> 'api_key.rotated' OR (data @? '${REPLACEMENT}') IS TRUE),
    PRIMARY KEY (workspace_id, seq)
  );

  CREATE TABLE ${at('outbox')} (
    position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    event_id text COLLATE "C" NOT NULL UNIQUE
  );

  CREATE TABLE ${at('relay')} (
    is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
    holder text,
    until_ms bigint NOT NULL,
    lease_ms bigint NOT NULL DEFAULT 0
  );
  INSERT INTO ${at('relay')} (until_ms) VALUES (-9007199254740991);

  CREATE TABLE ${at('writers')} (
    writer text COLLATE "C" PRIMARY KEY,
    sequence bigint NOT NULL,
    seen_at timestamptz NOT NULL
  );`
}
