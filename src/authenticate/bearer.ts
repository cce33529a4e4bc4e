import { likenessAt, type SecretFormat } from '../secret/format.ts'

/** Longer values are refused unread. */
export const MAX_HEADER_LENGTH = 512
const MAX_SPACES = 8
const SCHEME = 'bearer'
const SPACE = 32
const COMMA = 44
const DELETE = 127
/** 1 for each ASCII character that no token holds: a table, so that a run is read without a branch. */
const STRANGE = Uint8Array.from({ length: 128 }, (_, code) =>
  isVisible(code) && code !== COMMA ? 0 : 1,
)
/** A second credential in a value that a proxy or runtime has joined (RFC 9110 §5.3). */
const SECOND_BEARER = /,[ \t]*bearer(?![!-+\--~])/i

/** Why an `Authorization` value holds no secret. */
export interface NoSecret {
  readonly reason: 'missing' | 'invalid_request' | 'malformed'
}

const MISSING: NoSecret = Object.freeze({ reason: 'missing' })
const INVALID: NoSecret = Object.freeze({ reason: 'invalid_request' })
const MALFORMED: NoSecret = Object.freeze({ reason: 'malformed' })

/**
 * The secret in an `Authorization` value, or why there is none: `"Bearer" 1*8SP token` (RFC 6750
 * §2.1), the scheme in any case (RFC 9110 §11.1). Spaces around the value are not part of it
 * (RFC 9110 §5.5). A token is any run of visible ASCII without a comma; one that is no secret of the
 * format is malformed. A Bearer credential behind one of another scheme is one too many.
 */
export function parseBearer(header: unknown, format: SecretFormat): string | NoSecret {
  if (header === undefined || header === null) return MISSING
  if (typeof header !== 'string' || header.length > MAX_HEADER_LENGTH) return INVALID
  const start = skipSpaces(header, 0)
  const end = trimmedEnd(header, start)
  if (!startsWithScheme(header, start, end)) return anotherScheme(header)
  return parseToken(header, start + SCHEME.length, end, format)
}

/** What comes after the scheme, from `rest` to `end`. */
function parseToken(
  header: string,
  rest: number,
  end: number,
  format: SecretFormat,
): string | NoSecret {
  if (rest === end) return INVALID
  const next = header.charCodeAt(rest)
  if (next !== SPACE) return isVisible(next) ? anotherScheme(header) : INVALID
  const start = skipSpaces(header, rest)
  if (start - rest > MAX_SPACES) return INVALID
  const likeness = likenessAt(header, start, end, format)
  if (likeness === 'secret') return header.slice(start, end)
  return likeness === 'mistyped' || isToken(header, start, end) ? MALFORMED : INVALID
}

function anotherScheme(header: string): NoSecret {
  return SECOND_BEARER.test(header) ? INVALID : MISSING
}

function startsWithScheme(header: string, start: number, end: number): boolean {
  if (end - start < SCHEME.length) return false
  for (let at = 0; at < SCHEME.length; at += 1) {
    // Setting bit 5 folds ASCII letters; no other character folds onto one of these letters.
    if ((header.charCodeAt(start + at) | 32) !== SCHEME.charCodeAt(at)) return false
  }
  return true
}

function skipSpaces(header: string, from: number): number {
  let at = from
  while (header.charCodeAt(at) === SPACE) at += 1
  return at
}

function trimmedEnd(header: string, start: number): number {
  let end = header.length
  while (end > start && header.charCodeAt(end - 1) === SPACE) end -= 1
  return end
}

/** Whether there are visible characters without a comma only. The longest run is 512 characters. */
function isToken(header: string, start: number, end: number): boolean {
  let strange = 0
  for (let at = start; at < end; at += 1) {
    const code = header.charCodeAt(at)
    strange |= (STRANGE[code & 127] as number) | (code >> 7)
  }
  return strange === 0
}

function isVisible(code: number): boolean {
  return code > SPACE && code < DELETE
}
