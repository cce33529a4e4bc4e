import { PREFIX_LENGTH } from '../model/limits.ts'
import { secretClassifier, TAIL_LENGTH } from '../secret/format.ts'
import { breakable, brokenDigits, foundAt, hasBreak, unbroken } from './break.ts'
import { MASK, type Masked, maskAfter } from './mask.ts'
import { UNDERSCORE } from './underscore.ts'

const UNDERSCORES = new RegExp(UNDERSCORE, 'g')

/**
 * Masks secrets that are broken over lines. What follows a cut-off secret on the next line must stay,
 * so the checksum has to be right: by chance it is in one of 4 billion cases.
 */
export function wrappedMasker(brand: string): (text: string) => string {
  const environments = ['live', 'test'].map(breakable).join('|')
  const parts = [breakable(brand), UNDERSCORE, `(?:${environments})`, UNDERSCORE]
  const head = new RegExp(breakable(parts), 'g')
  const tail = brokenDigits(TAIL_LENGTH)
  const classify = secretClassifier(brand)
  const find = (text: string, start: string, index: number): Masked | null => {
    const rest = foundAt(tail, text, index + start.length)
    if (rest === undefined) return null
    const secret = unbroken(start + rest).replace(UNDERSCORES, '_')
    if (classify(secret) !== 'secret') return null
    const by = secret.slice(0, PREFIX_LENGTH) + MASK
    return { start: index, end: index + start.length + rest.length, by }
  }
  return (text) =>
    hasBreak(text) ? maskAfter(text, head, (start, index) => find(text, start, index)) : text
}
