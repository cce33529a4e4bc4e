import type { Environment } from './key.ts'
import { namesOf } from './names-of.ts'

/** Every environment. */
export const ENVIRONMENTS = namesOf({ live: true, test: true } satisfies Record<Environment, true>)
