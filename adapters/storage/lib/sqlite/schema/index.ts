import { VERSION_1 } from './version-1.ts'
import { VERSION_2 } from './version-2.ts'

/** The migrations in order; the first brings an empty database to version 1. */
export const MIGRATIONS: readonly string[] = [VERSION_1, VERSION_2]

/** The schema version that this release reads and writes. */
export const SCHEMA_VERSION = MIGRATIONS.length

/** The table that says which migrations have been applied. */
export const VERSION_TABLE = `
CREATE TABLE IF NOT EXISTS miftah_migrations (
  version INTEGER PRIMARY KEY,
  applied_at_s INTEGER NOT NULL
) STRICT;
`.trim()

/** Notes that the migration to `version` has been applied. */
export function versionNote(version: number): string {
  return `INSERT INTO miftah_migrations VALUES (${version}, unixepoch());`
}

/**
 * The SQL that brings a database from schema version `from` (0: empty, the default) to this
 * release's, for teams who apply migrations themselves. Run it in one go, with nothing else in the
 * transaction, and open the storage with `migrate: false`. Throws a `RangeError` for a version that
 * this release does not know.
 *
 * @example
 * ```ts
 * import { sqliteSchema } from 'miftah/sqlite'
 *
 * console.log(sqliteSchema()) // BEGIN IMMEDIATE; …
 * ```
 */
export function sqliteSchema(from = 0): string {
  if (!Number.isInteger(from) || from < 0 || from > SCHEMA_VERSION) {
    throw new RangeError(`sqliteSchema: "from" must be 0 to ${SCHEMA_VERSION}.`)
  }
  const steps = MIGRATIONS.map((sql, index) => [sql, versionNote(index + 1)]).slice(from)
  return ['BEGIN IMMEDIATE;', VERSION_TABLE, ...steps.flat(), 'COMMIT;', ''].join('\n\n')
}
