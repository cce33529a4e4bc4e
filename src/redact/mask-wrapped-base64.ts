import { PREFIX_LENGTH, secretClassifier, TAIL_LENGTH } from '../secret/format.ts'
import { firstOwn, lengthOf, shiftIn, shiftsOf } from './base64-shift.ts'
import { breakable, brokenDigits, foundAt, hasBreak, unbroken } from './break.ts'
import { MASK, type Masked, maskAfter } from './mask.ts'

/**
 * Masks secrets in base64 that is broken over lines, as in mail and PEM. As with other broken secrets,
 * the checksum has to be right. `texts` are all that secrets of the brand begin with.
 */
export function wrappedBase64Masker(
  brand: string,
  texts: readonly string[],
): (text: string) => string {
  const shifts = shiftsOf(texts)
  const starts = new RegExp(shifts.map(({ shown }) => breakable(shown)).join('|'), 'g')
  const hidden = TAIL_LENGTH + `${brand}_live_`.length - PREFIX_LENGTH
  const rests = [0, 1, 2].map((shift) => brokenDigits(lengthOf(shift, hidden)))
  const classify = secretClassifier(brand)
  const find = (text: string, start: string, index: number): Masked | null => {
    const known = unbroken(start)
    const { bytes, text: head } = shiftIn(shifts, known)
    const end = index + start.length
    const rest = foundAt(rests[bytes] as RegExp, text, end)
    if (rest === undefined) return null
    const decoded = atob('A'.repeat(firstOwn(bytes)) + known + unbroken(rest))
    const from = bytes + head.length
    const secret = head + decoded.slice(from, from + TAIL_LENGTH)
    if (classify(secret) !== 'secret') return null
    return { start: end, end: end + rest.length, by: MASK }
  }
  return (text) =>
    hasBreak(text) ? maskAfter(text, starts, (start, index) => find(text, start, index)) : text
}
