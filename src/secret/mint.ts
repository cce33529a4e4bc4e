import { customAlphabet, nanoid } from 'nanoid'
import type { Environment } from '../model/key.ts'
import { BASE62, formatSecret, RANDOM_LENGTH } from './format.ts'

/** Draws from the platform's CSPRNG and rejects out-of-range bytes, so no character is likelier. */
const randomBase62 = customAlphabet(BASE62, RANDOM_LENGTH)

export function mintSecret(brand: string, environment: Environment): string {
  return formatSecret(brand, environment, randomBase62())
}

/** A new public handle: a word, an underscore and 21 characters of nanoid. */
export function mintId(kind: 'key' | 'evt' | 'wrt' | 'rly' | 'nod'): string {
  return `${kind}_${nanoid()}`
}
