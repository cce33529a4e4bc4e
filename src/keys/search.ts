import { folded } from '../model/folded.ts'
import type { KeyRecord } from '../model/key-record.ts'

/** Whether each word of a folded text is in the name of a key, its creator's name or a scope. */
export function isFound({ name, creator, scopes }: KeyRecord, search: string): boolean {
  const texts = [name, creator.name, ...scopes].map(folded)
  return search.split(' ').every((word) => texts.some((text) => text.includes(word)))
}
