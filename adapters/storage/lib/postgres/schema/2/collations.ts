import type { Names } from '../../names.ts'

/**
 * Texts compare byte by byte, whatever the database is set to: an index in the order of a locale is
 * out of order, and misses rows, once the system's library sorts otherwise.
 */
export function collations({ at }: Names): string {
  return `
  ALTER TABLE ${at('keys')}
    ALTER COLUMN name TYPE text COLLATE "C",
    ALTER COLUMN scopes TYPE text[] COLLATE "C",
    ALTER COLUMN prefix TYPE text COLLATE "C",
    ALTER COLUMN creator_id TYPE text COLLATE "C",
    ALTER COLUMN creator_name TYPE text COLLATE "C";
  ALTER TABLE ${at('events')}
    ALTER COLUMN type TYPE text COLLATE "C",
    ALTER COLUMN actor_id TYPE text COLLATE "C",
    ALTER COLUMN actor_name TYPE text COLLATE "C";
  ALTER TABLE ${at('relay')} ALTER COLUMN holder TYPE text COLLATE "C";`
}
