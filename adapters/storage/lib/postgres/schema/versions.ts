import type { Names } from '../names.ts'
import { changes } from './changes.ts'
import { flows } from './flows.ts'
import { closedToPublic, helpers } from './functions.ts'
import { guards } from './guards.ts'
import { records } from './records.ts'
import { tables } from './tables.ts'

/**
 * What each version adds to the one before. A version that has been published never changes: a
 * later one is put behind it.
 */
export const VERSIONS: readonly ((names: Names) => string)[] = [
  (names) =>
    [tables, guards, records, helpers, changes, flows, closedToPublic]
      .map((part) => part(names))
      .join('\n'),
]

/** The version that this release of the library works with. */
export const SCHEMA_VERSION = VERSIONS.length
