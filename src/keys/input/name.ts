import type { InputIssueCode } from '../../model/errors.ts'
import { isWellFormed } from './text.ts'

/** In Unicode code points. */
export const MAX_NAME_LENGTH = 120

/**
 * Controls, line and paragraph separators, bidi embeddings, overrides and isolates, and the byte
 * order mark: they hide or reorder what people read (UAX #9; CVE-2021-42574). U+200C and U+200D
 * stay allowed because Arabic-script languages need them.
 */
const FORBIDDEN = /[\p{Cc}\u2028\u2029\u202A-\u202E\u2066-\u2069\uFEFF]/u

/** What a name may not consist of alone: white space and characters that draw nothing. */
const INVISIBLE = /[\p{White_Space}\p{Default_Ignorable_Code_Point}]/gu

/** The name of a key as it is stored, or what is wrong with it. */
export type NameResult =
  | { readonly ok: true; readonly name: string }
  | { readonly ok: false; readonly code: InputIssueCode; readonly message: string }

/** Trims a name, brings it to NFC and checks it. Nothing is cut and nothing dropped silently. */
export function checkName(raw: string): NameResult {
  if (!isWellFormed(raw) || FORBIDDEN.test(raw)) {
    return refusal('forbidden_character', 'must not contain control or text-direction characters.')
  }
  const name = raw.trim().normalize('NFC')
  if (name.replace(INVISIBLE, '') === '') return refusal('required', 'is required.')
  if (codePoints(name) > MAX_NAME_LENGTH) {
    return refusal('too_long', `must have at most ${MAX_NAME_LENGTH} characters.`)
  }
  return { ok: true, name }
}

/** How many Unicode code points a text has. */
export function codePoints(text: string): number {
  let count = 0
  for (const _ of text) count += 1
  return count
}

function refusal(code: InputIssueCode, message: string): NameResult {
  return { ok: false, code, message }
}
