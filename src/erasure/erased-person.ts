import type { Person } from '../keys/api-key.ts'

/**
 * Who stands in place of every erased person: one identifier and one name for all of them, so that
 * nobody can be told from anybody else.
 *
 * @example
 * ```ts
 * import { ERASED_PERSON } from 'miftah'
 *
 * const label = (id: string, name: string) => (id === ERASED_PERSON.id ? '—' : name)
 * label('miftah:erased', 'Erased') //=> '—'
 * ```
 */
export const ERASED_PERSON: Person = Object.freeze({ id: 'miftah:erased', name: 'Erased' })
