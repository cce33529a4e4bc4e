import { isRetiring } from '../../../key-conditions.ts'
import type { Names } from '../../names.ts'
import { INSTANTS } from './constraints.ts'

/** The columns of a key's life, and what must hold between them. */
export function lifecycle({ at, bare }: Names): string {
  return `
  ALTER TABLE ${at('keys')}
    ADD COLUMN version bigint NOT NULL DEFAULT 1,
    ADD COLUMN updated_at_ms bigint,
    ADD COLUMN expires_at_ms bigint,
    ADD COLUMN paused_at_ms bigint,
    ADD COLUMN paused_by_id text COLLATE "C",
    ADD COLUMN paused_by_name text COLLATE "C",
    ADD COLUMN retires_at_ms bigint,
    ADD COLUMN metadata jsonb NOT NULL DEFAULT '{}',
    ADD COLUMN format text COLLATE "C";
  UPDATE ${at('keys')} SET updated_at_ms = created_at_ms;
  ALTER TABLE ${at('keys')}
    DROP CONSTRAINT ${bare('keys_replaced_is_revoked')},
    ALTER COLUMN version DROP DEFAULT,
    ALTER COLUMN updated_at_ms SET NOT NULL,
    ALTER COLUMN metadata DROP DEFAULT,
    ADD CONSTRAINT ${bare('keys_version')} CHECK (version BETWEEN 1 AND ${Number.MAX_SAFE_INTEGER}),
    ADD CONSTRAINT ${bare('keys_updated_at')} CHECK (updated_at_ms BETWEEN ${INSTANTS}),
    ADD CONSTRAINT ${bare('keys_expires_at')} CHECK (expires_at_ms BETWEEN ${INSTANTS}),
    ADD CONSTRAINT ${bare('keys_paused_at')} CHECK (paused_at_ms BETWEEN ${INSTANTS}),
    ADD CONSTRAINT ${bare('keys_paused_by')} CHECK (
      (paused_at_ms IS NULL) = (paused_by_id IS NULL)
      AND (paused_at_ms IS NULL) = (paused_by_name IS NULL)
      AND (paused_by_id <> '') IS NOT FALSE AND (paused_by_name <> '') IS NOT FALSE),
    ADD CONSTRAINT ${bare('keys_retires_at')} CHECK (retires_at_ms BETWEEN ${INSTANTS}),
    ADD CONSTRAINT ${bare('keys_replaced_ends')} CHECK (
      replaced_by IS NULL OR revoked_at_ms IS NOT NULL OR retires_at_ms IS NOT NULL),
    ADD CONSTRAINT ${bare('keys_retires_replaced')} CHECK (retires_at_ms IS NULL OR (
      replaced_by IS NOT NULL AND paused_at_ms IS NULL
      AND (retires_at_ms <= expires_at_ms) IS NOT FALSE)),
    ADD CONSTRAINT ${bare('keys_metadata')} CHECK (
      (metadata @? 'strict $ ? (@.type() == "object")') IS TRUE
      AND NOT metadata @? 'strict $.* ? (@.type() != "string")'),
    ADD CONSTRAINT ${bare('keys_format')} CHECK (format <> ''),
    ADD CONSTRAINT ${bare('keys_prefix_length')} CHECK (char_length(prefix) = octet_length(prefix)
      AND (char_length(prefix) = 12
        OR (format IS NOT NULL AND char_length(prefix) BETWEEN 1 AND 12)));

  CREATE INDEX ${bare('keys_expiring')} ON ${at('keys')} (workspace_id, expires_at_ms)
    WHERE revoked_at_ms IS NULL AND retires_at_ms IS NULL AND expires_at_ms IS NOT NULL;
  CREATE INDEX ${bare('keys_retiring')} ON ${at('keys')} (workspace_id, retires_at_ms)
    WHERE revoked_at_ms IS NULL AND retires_at_ms IS NOT NULL;
  CREATE UNIQUE INDEX ${bare('keys_paused')} ON ${at('keys')} (workspace_id, environment, seq)
    WHERE revoked_at_ms IS NULL AND paused_at_ms IS NOT NULL;`
}

/** How many keys are retiring. */
export function retiringKeys(at: Names['at']): string {
  return `(SELECT count(*) FROM ${at('keys')}
        WHERE workspace_id = v_workspace AND ${isRetiring('v_at')})`
}
