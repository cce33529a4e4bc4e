import type { Names } from '../names.ts'
import { version1 } from './1/version.ts'
import { version2 } from './2/version.ts'

/** What each version adds to the one before, the first version first. */
export const VERSIONS: readonly ((names: Names) => string)[] = [version1, version2]

/** The version that this release of the library works with. */
export const SCHEMA_VERSION = VERSIONS.length
