import { PREFIX_LENGTH, secretClassifier, TAIL_LENGTH } from './format.ts'
import { MASK, type Masked, maskAfter } from './mask.ts'
import { UNDERSCORE } from './underscore.ts'

/** The end of a line, also as JSON and quoted-printable write it, and the indentation of the next. */
const BREAK = '(?:=?(?:\\r?\\n|(?:\\\\{1,8}r)?\\\\{1,8}n)[ \\t]{0,80})'
const BREAKS = new RegExp(BREAK, 'g')
const UNDERSCORES = new RegExp(UNDERSCORE, 'g')

/**
 * Masks secrets that are broken over lines. What follows a cut-off secret on the next line must stay,
 * so the checksum has to be right: by chance it is in one of 4 billion cases.
 */
export function wrappedMasker(brand: string): (text: string) => string {
  const environments = ['live', 'test'].map(breakable).join('|')
  const parts = [breakable(brand), UNDERSCORE, `(?:${environments})`, UNDERSCORE]
  const head = new RegExp(parts.join(`${BREAK}?`), 'g')
  const tail = new RegExp(`(?:${BREAK}?[0-9A-Za-z]){${TAIL_LENGTH}}`, 'y')
  const classify = secretClassifier(brand)
  const find = (text: string, start: string, index: number): Masked | null => {
    tail.lastIndex = index + start.length
    const rest = tail.exec(text)?.[0]
    if (rest === undefined) return null
    const secret = unbroken(start + rest)
    if (classify(secret) !== 'secret') return null
    const by = secret.slice(0, PREFIX_LENGTH) + MASK
    return { start: index, end: index + start.length + rest.length, by }
  }
  return (text) =>
    text.includes('\n') || text.includes('\\n')
      ? maskAfter(text, head, (start, index) => find(text, start, index))
      : text
}

function breakable(word: string): string {
  return [...word].join(`${BREAK}?`)
}

function unbroken(text: string): string {
  return text.replace(BREAKS, '').replace(UNDERSCORES, '_')
}
