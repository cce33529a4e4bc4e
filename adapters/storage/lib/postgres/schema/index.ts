import { CACHE } from './cache.ts'
import { COUNTS } from './counts.ts'
import { ERASURE } from './erasure.ts'
import { EVENTS } from './events.ts'
import { CLOSED_TO_PUBLIC } from './grants.ts'
import { GUARDS } from './guards.ts'
import { KEYS } from './keys.ts'
import { MIGRATIONS } from './migrations.ts'
import { NOTICES } from './notices.ts'
import { STEPS } from './steps.ts'
import { TABLES } from './tables.ts'
import { USAGE } from './usage.ts'

/** The SQL of all versions, for a schema named `miftah`. */
export interface Schema {
  /** The newest version, which a new database gets. */
  readonly newest: string
  readonly migrations: readonly string[]
}

/** The schema that this release of the library works with. */
export const SCHEMA: Schema = {
  newest: [
    ...[TABLES, GUARDS, COUNTS, STEPS, KEYS, USAGE, EVENTS, NOTICES, CACHE, ERASURE],
    CLOSED_TO_PUBLIC,
  ].join('\n'),
  migrations: MIGRATIONS,
}

/** The version that this release of the library works with. */
export const SCHEMA_VERSION = versionOf(SCHEMA)

/** The number of a schema's newest version. */
export function versionOf({ migrations }: Schema): number {
  return migrations.length + 1
}
