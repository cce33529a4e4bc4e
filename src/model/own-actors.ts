import type { Person } from './key.ts'

/** The actor of events nobody caused, such as an expiry. */
export const SYSTEM: Person = Object.freeze({ id: 'miftah:system', name: 'miftah' })

/** Pauses a key whose secret was sent over plain HTTP. */
export const CLEARTEXT_GUARD: Person = Object.freeze({ id: 'miftah:cleartext', name: 'miftah' })
