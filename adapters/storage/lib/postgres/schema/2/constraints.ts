import type { Names } from '../../names.ts'

/** The instants that a JavaScript date can hold (ECMA-262 §21.4.1.1). */
export const INSTANTS = '-8640000000000000 AND 8640000000000000'

/** What an event says about its key. In strict mode an array does not stand for its elements. */
const SNAPSHOT = `strict $ ? (
      @.name.type() == "string" && @.prefix.type() == "string" &&
      (@.environment == "live" || @.environment == "test") &&
      @.scopes.type() == "array" && !exists(@.scopes[*] ? (@.type() != "string")))`

/** What it says about the key that took its place. */
const REPLACEMENT = `strict $ ? (
      @.replacementId.type() == "string" && @.replacementPrefix.type() == "string")`

/** What an update says beside the snapshot. */
const CHANGES = `strict $ ? (@.before.type() == "object" && @.after.type() == "object")`

/** What an event about the end of a key says beside the snapshot. */
const EXPIRY = `strict $ ? (@.expiresAt.type() == "string")`
const RETIREMENT = `strict $ ? (
      @.replacementId.type() == "string" && @.overlapEndsAt.type() == "string")`

/** Constraints against every row that the library cannot read, and the length of a lease. */
export function constraints({ at, bare }: Names): string {
  return `
  ALTER TABLE ${at('keys')}
    DROP CONSTRAINT ${bare('keys_scopes')},
    DROP CONSTRAINT ${bare('keys_prefix_length')},
    ADD CONSTRAINT ${bare('keys_id_length')} CHECK (id <> ''),
    ADD CONSTRAINT ${bare('keys_workspace_id_length')} CHECK (workspace_id <> ''),
    ADD CONSTRAINT ${bare('keys_scopes')} CHECK (scopes = '{}' OR (
      array_ndims(scopes) = 1 AND array_lower(scopes, 1) = 1
      AND array_position(scopes, NULL) IS NULL AND array_position(scopes, '') IS NULL)),
    ADD CONSTRAINT ${bare('keys_creator_id_length')} CHECK (creator_id <> ''),
    ADD CONSTRAINT ${bare('keys_creator_name_length')} CHECK (creator_name <> ''),
    ADD CONSTRAINT ${bare('keys_created_at')} CHECK (created_at_ms BETWEEN ${INSTANTS}),
    ADD CONSTRAINT ${bare('keys_revoked_at')} CHECK (revoked_at_ms BETWEEN ${INSTANTS}),
    ADD CONSTRAINT ${bare('keys_replaces_length')} CHECK (replaces <> ''),
    ADD CONSTRAINT ${bare('keys_replaced_by_length')} CHECK (replaced_by <> '');

  ALTER TABLE ${at('events')}
    ADD CONSTRAINT ${bare('events_id_length')} CHECK (id <> ''),
    ADD CONSTRAINT ${bare('events_workspace_id_length')} CHECK (workspace_id <> ''),
    ADD CONSTRAINT ${bare('events_type')}
      CHECK (type IN ('api_key.created', 'api_key.imported', 'api_key.updated',
        'api_key.paused', 'api_key.resumed', 'api_key.rotated', 'api_key.revoked',
        'api_key.expiring', 'api_key.expired', 'api_key.retired')),
    ADD CONSTRAINT ${bare('events_at')} CHECK (at_ms BETWEEN ${INSTANTS}),
    ADD CONSTRAINT ${bare('events_key_id_length')} CHECK (key_id <> ''),
    ADD CONSTRAINT ${bare('events_data')} CHECK ((data @? '${SNAPSHOT}') IS TRUE),
    ADD CONSTRAINT ${bare('events_replacement')}
      CHECK (type <> 'api_key.rotated' OR (data @? '${REPLACEMENT}') IS TRUE),
    ADD CONSTRAINT ${bare('events_format')}
      CHECK (type <> 'api_key.imported' OR (data @? 'strict $ ? (@.format.type() == "string")') IS TRUE),
    ADD CONSTRAINT ${bare('events_expiry')} CHECK (type NOT IN ('api_key.expiring', 'api_key.expired')
      OR (data @? '${EXPIRY}') IS TRUE),
    ADD CONSTRAINT ${bare('events_retirement')}
      CHECK (type <> 'api_key.retired' OR (data @? '${RETIREMENT}') IS TRUE),
    ADD CONSTRAINT ${bare('events_changes')}
      CHECK (type <> 'api_key.updated' OR (data @? '${CHANGES}') IS TRUE);

  CREATE INDEX ${bare('events_of_key')} ON ${at('events')} (key_id, seq);

  ALTER TABLE ${at('relay')} ADD COLUMN lease_ms bigint NOT NULL DEFAULT 0;`
}
