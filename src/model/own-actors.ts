import type { Person } from './key.ts'

/** The actor of events nobody caused, such as an expiry. */
export const SYSTEM: Person = Object.freeze({ id: 'miftah:system', name: 'miftah' })
