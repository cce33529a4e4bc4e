import { PREFIX_LENGTH } from '../model/limits.ts'

/** Both alphabets of base64 write letters, digits and `_` with these alone. */
const DIGIT = '[0-9A-Za-z]'

/**
 * How the start of a secret looks in base64 when so many bytes stand before it in its group of three.
 * Three bytes make four characters, so that most bytes have bits in two of them. Behind `x:`, which is
 * two bytes:
 *
 * ```text
 * x: svc_live_ aBc DEF…   becomes   eDp zdmNfbGl2ZV 9hQm NERUY…
 * ```
 *
 * - `eDp` has bits of `x:` and is left out.
 * - `zdmNfbGl2ZV` depends on `svc_live_` alone: the head.
 * - `9hQm` ends with bits of `c`. It belongs to the prefix, which is shown.
 * - `N` has the last bits of `c` and the first of `D`: the first character that is hidden.
 */
export interface Shift {
  readonly bytes: number
  /** The characters that the text decides alone. */
  readonly head: string
  /** The patterns of all characters that are shown: the head's, and those after it. */
  readonly shown: readonly string[]
}

/** Every shift of all that secrets begin with. */
export function shiftsOf(texts: readonly string[]): readonly Shift[] {
  return texts.flatMap((text) => [0, 1, 2].map((bytes) => shiftOf(text, bytes)))
}

function shiftOf(text: string, bytes: number): Shift {
  const to = Math.floor(((bytes + text.length) * 8) / 6)
  // What stands before and after has no part in the characters between.
  const head = btoa(`${'.'.repeat(bytes)}${text}...`).slice(firstOwn(bytes), to)
  const rest = Array.from({ length: firstHidden(bytes) - to }, () => DIGIT)
  return { bytes, head, shown: [...head, ...rest] }
}

/** The first character without a bit of what stands before; 3 in the example. */
function firstOwn(shift: number): number {
  return Math.ceil((shift * 8) / 6)
}

/** The first character that holds a bit of the hidden part; 18 in the example. */
export function firstHidden(shift: number): number {
  return Math.floor(((shift + PREFIX_LENGTH) * 8) / 6)
}

/** How many characters hold bits of so many hidden bytes; 5 for `DEF` in the example. */
export function lengthOf(shift: number, bytes: number): number {
  const last = Math.floor(((shift + PREFIX_LENGTH + bytes) * 8 - 1) / 6)
  return last - firstHidden(shift) + 1
}

/** The shift that a matched start belongs to. The expressions are made of nothing else. */
export function shiftIn(shifts: readonly Shift[], start: string): Shift {
  return shifts.find(({ head }) => start.startsWith(head)) as Shift
}
