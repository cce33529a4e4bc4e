import { PREFIX_LENGTH } from '../model/limits.ts'
import { firstHidden, lengthOf, shiftIn, shiftsOf } from './base64-shift.ts'
import { MASK, type Masked, maskAfter } from './mask.ts'

/** Characters before the group of four in which the hidden part begins. */
const BEFORE = (PREFIX_LENGTH / 3) * 4

/** Masks secrets in base64, as in Basic credentials. `texts` are all that secrets begin with. */
export function base64Masker(
  texts: readonly string[],
  hidden: { readonly least: number; readonly most: number },
): (text: string) => string {
  const shifts = shiftsOf(texts)
  const starts = new RegExp(shifts.map(({ shown }) => shown.join('')).join('|'), 'g')
  const find = (text: string, start: string, index: number): Masked | null => {
    const { bytes: shift } = shiftIn(shifts, start)
    const end = index + start.length
    const group = end - (firstHidden(shift) - BEFORE)
    const rest = text.slice(group, end + lengthOf(shift, hidden.most))
    const count = Math.min(digitsIn(rest) - shift, hidden.most)
    if (count < hidden.least) return null
    return { start: end, end: end + lengthOf(shift, count), by: MASK }
  }
  return (text) => maskAfter(text, starts, (start, index) => find(text, start, index))
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
