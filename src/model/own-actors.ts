import type { Person } from './key.ts'

/** The actor of events nobody caused, such as an expiry. */
export const SYSTEM: Person = Object.freeze({ id: 'miftah:system', name: 'miftah' })

/**
 * Takes the place of every erased person: one identifier and one name for all of them, so that they look the
 * same.
 */
export const ERASED_PERSON: Person = Object.freeze({ id: 'miftah:erased', name: 'Erased' })
