import { codePoints } from './name.ts'
import { isPlainText } from './text.ts'

/** In Unicode code points. */
export const MAX_IDENTIFIER_LENGTH = 255

/** What the ids of miftah's own actors begin with: `miftah:system`, `miftah:holder`, `miftah:erased`. */
const RESERVED = 'miftah:'

/**
 * Whether a text can be an id or a display name of the host's own: 1 to 255 Unicode code points that are not
 * all white space, without control characters and half surrogate pairs.
 */
export function isIdentifier(text: string): boolean {
  return text.trim() !== '' && codePoints(text) <= MAX_IDENTIFIER_LENGTH && isPlainText(text)
}

/** Whether an id is kept for miftah's own actors: it begins with `miftah:`. No person can have it. */
export function isReservedId(id: string): boolean {
  return id.startsWith(RESERVED)
}
