import type { Names } from '../../names.ts'
import { INSTANTS } from './constraints.ts'

/**
 * Moves usage out of `keys` into a table of its own. The foreign key gives every key its usage row.
 *
 * A transaction that is not `read committed` may read a snapshot from before the lock on `keys`.
 * Locking the rows, and the check of the foreign key, fail when that snapshot is out of date.
 */
export function usage({ at, bare }: Names): string {
  return `
  CREATE TABLE ${at('usage')} (
    id text COLLATE "C" PRIMARY KEY,
    uses bigint NOT NULL
      CONSTRAINT ${bare('usage_uses')} CHECK (uses BETWEEN 0 AND ${Number.MAX_SAFE_INTEGER}),
    last_used_at_ms bigint
      CONSTRAINT ${bare('usage_last_used_at')} CHECK (last_used_at_ms BETWEEN ${INSTANTS})
  ) WITH (fillfactor = 85);

  IF pg_catalog.current_setting('transaction_isolation') <> 'read committed' THEN
    PERFORM FROM ${at('keys')} FOR UPDATE;
  END IF;
  INSERT INTO ${at('usage')} SELECT k.id, k.uses, k.last_used_at_ms FROM ${at('keys')} k;
  ALTER TABLE ${at('keys')}
    DROP COLUMN uses,
    DROP COLUMN last_used_at_ms,
    ADD CONSTRAINT ${bare('keys_usage')} FOREIGN KEY (id) REFERENCES ${at('usage')} (id),
    RESET (fillfactor);`
}
