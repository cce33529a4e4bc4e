import type { InputIssueCode } from './errors.ts'

/** In Unicode code points. */
export const MAX_NAME_LENGTH = 120

/** In Unicode code points. */
export const MAX_NOTE_LENGTH = 200

/**
 * What hides or reorders what people read (UAX #9; CVE-2021-42574): controls, separators, annotations, and
 * all that draws nothing, such as direction marks, zero-width spaces, fillers and tags. Joiners and variation
 * selectors stay allowed, because Arabic-script languages, Mongolian and emoji need them.
 */
const FORBIDDEN =
  /[\p{Cc}\u2028\u2029\uFFF9-\uFFFB]|(?![\u200C-\u200D\u180E\p{Variation_Selector}])\p{Default_Ignorable_Code_Point}/u

/**
 * What a name may not consist of alone: white space, characters that draw nothing, and two symbols without
 * ink (a Braille pattern, a note head).
 */
const INVISIBLE = /[\p{White_Space}\p{Default_Ignorable_Code_Point}\u2800\u{1D159}]/gu

/** The name of a key as it is stored, or what is wrong with it. */
export type NameResult =
  | { readonly ok: true; readonly name: string }
  | { readonly ok: false; readonly code: InputIssueCode; readonly message: string }

/** Trims a name, brings it to NFC and checks it. Nothing is cut and nothing dropped silently. */
export function checkName(raw: string, most = MAX_NAME_LENGTH): NameResult {
  const name = raw.trim().normalize('NFC')
  if (name.replace(INVISIBLE, '') === '') {
    return { ok: false, code: 'required', message: 'is required.' }
  }
  if (!isWellFormed(raw) || FORBIDDEN.test(raw)) {
    const message = 'must not contain control, text-direction or other invisible characters.'
    return { ok: false, code: 'forbidden_character', message }
  }
  if (codePoints(name) <= most) return { ok: true, name }
  return { ok: false, code: 'too_long', message: `must have at most ${most} characters.` }
}

/** How many Unicode code points a text has. */
export function codePoints(text: string): number {
  let count = 0
  for (const _ of text) count += 1
  return count
}

const SUFFIX = ' (rotated)'
const ROOM = MAX_NAME_LENGTH - SUFFIX.length

/**
 * The name of a key's replacement: the name and ` (rotated)`. A name too long for that is cut between two
 * graphemes (UAX #29), so that no letter loses its marks and no emoji breaks.
 */
export function rotatedName(name: string): string {
  return cut(name) + SUFFIX
}

function cut(name: string): string {
  let kept = ''
  let length = 0
  // Without a granularity it is graphemes (ECMA-402 §18.1.1).
  for (const { segment } of new Intl.Segmenter('und').segment(name)) {
    length += codePoints(segment)
    if (length > ROOM) break
    kept += segment
  }
  // One grapheme may be longer than the room (marks piled on a letter): then code points must do.
  return (kept === '' ? [...name].slice(0, ROOM).join('') : kept).trimEnd()
}

/** Whether every surrogate has its partner: only such text survives UTF-8. */
export function isWellFormed(text: string): boolean {
  return !/\p{Surrogate}/u.test(text)
}

/** C0 and C1 controls, among them NUL, which PostgreSQL cannot store. */
const CONTROL = /\p{Cc}/u

/** In Unicode code points. */
export const MAX_IDENTIFIER_LENGTH = 255

/** What the ids of miftah's own actors begin with: `miftah:system`, `miftah:holder`, `miftah:erased`. */
const RESERVED = 'miftah:'

/**
 * Whether a text can be an id or a display name of the host's own: 1 to 255 Unicode code points that are not
 * all white space, without control characters and half surrogate pairs.
 */
export function isIdentifier(text: string): boolean {
  const isPlain = isWellFormed(text) && !CONTROL.test(text)
  return isPlain && text.trim() !== '' && codePoints(text) <= MAX_IDENTIFIER_LENGTH
}

/** Whether an id is kept for miftah's own actors: it begins with `miftah:`. No person can have it. */
export function isReservedId(id: string): boolean {
  return id.startsWith(RESERVED)
}
