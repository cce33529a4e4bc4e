import type { Names } from '../../names.ts'

/** The tables of version 1. Released, and so never changed. */
export function tables({ at, bare }: Names): string {
  return `
  CREATE TABLE ${at('workspaces')} (
    workspace_id text COLLATE "C" PRIMARY KEY,
    changes bigint NOT NULL
  ) WITH (fillfactor = 50);

  CREATE TABLE ${at('keys')} (
    id text COLLATE "C" PRIMARY KEY,
    hash bytea NOT NULL
      CONSTRAINT ${bare('keys_hash')} UNIQUE
      CONSTRAINT ${bare('keys_hash_length')} CHECK (octet_length(hash) = 32),
    workspace_id text COLLATE "C" NOT NULL,
    seq bigint NOT NULL,
    name text NOT NULL
      CONSTRAINT ${bare('keys_name_length')} CHECK (char_length(name) BETWEEN 1 AND 120),
    environment text COLLATE "C" NOT NULL
      CONSTRAINT ${bare('keys_environment')} CHECK (environment IN ('live', 'test')),
    scopes text[] NOT NULL
      CONSTRAINT ${bare('keys_scopes')} CHECK (array_position(scopes, NULL) IS NULL),
    prefix text NOT NULL
      CONSTRAINT ${bare('keys_prefix_length')} CHECK (char_length(prefix) BETWEEN 1 AND 12),
    creator_id text NOT NULL,
    creator_name text NOT NULL,
    created_at_ms bigint NOT NULL,
    last_used_at_ms bigint,
    uses bigint NOT NULL
      CONSTRAINT ${bare('keys_uses')} CHECK (uses >= 0),
    revoked_at_ms bigint,
    replaces text COLLATE "C",
    replaced_by text COLLATE "C",
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
    id text COLLATE "C" CONSTRAINT ${bare('events_id')} UNIQUE NOT NULL,
    workspace_id text COLLATE "C" NOT NULL,
    seq bigint NOT NULL,
    type text NOT NULL,
    at_ms bigint NOT NULL,
    actor_id text NOT NULL,
    actor_name text NOT NULL,
    key_id text COLLATE "C" NOT NULL,
    data jsonb NOT NULL,
    PRIMARY KEY (workspace_id, seq)
  );

  CREATE TABLE ${at('outbox')} (
    position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    event_id text COLLATE "C" NOT NULL UNIQUE
  );

  CREATE TABLE ${at('relay')} (
    is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
    holder text,
    until_ms bigint NOT NULL
  );
  INSERT INTO ${at('relay')} (until_ms) VALUES (-9007199254740991);

  CREATE TABLE ${at('writers')} (
    writer text COLLATE "C" PRIMARY KEY,
    sequence bigint NOT NULL,
    seen_at timestamptz NOT NULL
  );`
}
