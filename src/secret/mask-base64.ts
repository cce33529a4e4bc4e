import { PREFIX_LENGTH } from './format.ts'
import { MASK, type Masked, maskAfter } from './mask.ts'

/** Both alphabets of base64 write letters, digits and `_` with these alone. */
const DIGIT = '[0-9A-Za-z]'
/** Characters before the group of four in which the hidden part begins, and their bytes. */
const BEFORE = { characters: (PREFIX_LENGTH / 3) * 4, bytes: PREFIX_LENGTH }

/** How the start of a secret looks when so many bytes stand before it in its group of three. */
interface Shift {
  readonly bytes: number
  /** The characters that the head decides alone. */
  readonly head: string
  /** The head, and what follows of the prefix that may be shown. */
  readonly pattern: string
}

/** Masks secrets in base64, as in Basic credentials. `heads` are all that secrets begin with. */
export function base64Masker(
  heads: readonly string[],
  hidden: { readonly least: number; readonly most: number },
): (text: string) => string {
  const shifts = heads.flatMap((head) => [0, 1, 2].map((bytes) => shiftOf(head, bytes)))
  const starts = new RegExp(shifts.map(({ pattern }) => pattern).join('|'), 'g')
  const find = (text: string, start: string, index: number): Masked | null => {
    // The expression matches nothing but these.
    const { bytes: shift } = shifts.find(({ head }) => start.startsWith(head)) as Shift
    const first = firstHidden(shift)
    const end = index + start.length
    const rest = text.slice(end - (first - BEFORE.characters), end + lengthOf(shift, hidden.most))
    const count = Math.min(digitsIn(rest) - shift, hidden.most)
    if (count < hidden.least) return null
    return { start: end, end: end + lengthOf(shift, count), by: MASK }
  }
  return (text) => maskAfter(text, starts, (start, index) => find(text, start, index))
}

function shiftOf(head: string, bytes: number): Shift {
  const from = Math.ceil((bytes * 8) / 6)
  const to = Math.floor(((bytes + head.length) * 8) / 6)
  // What stands before and after has no part in the characters between.
  const known = btoa(`${'.'.repeat(bytes)}${head}...`).slice(from, to)
  return { bytes, head: known, pattern: `${known}${DIGIT}{${firstHidden(bytes) - to}}` }
}

/** The first character that holds a bit of the hidden part. */
function firstHidden(shift: number): number {
  return Math.floor(((shift + PREFIX_LENGTH) * 8) / 6)
}

/** How many characters hold bits of so many hidden bytes. */
function lengthOf(shift: number, bytes: number): number {
  const last = Math.floor(((shift + PREFIX_LENGTH + bytes) * 8 - 1) / 6)
  return last - firstHidden(shift) + 1
}

/** How many letters and digits a piece of base64 begins with, once decoded. */
function digitsIn(piece: string): number {
  const encoded = leadingDigits(piece)
  const whole = encoded.length % 4 === 1 ? encoded.slice(0, -1) : encoded
  return leadingDigits(atob(whole)).length
}

function leadingDigits(text: string): string {
  return text.replace(/[^0-9A-Za-z][\s\S]*$/, '')
}
