import { likenessAt, type SecretFormat } from '../secret/format.ts'

/** Longer values are refused unread. */
export const MAX_HEADER_LENGTH = 512
const MAX_SPACES = 8
const SCHEME = 'bearer'
const SPACE = 32
const COMMA = 44
const DELETE = 127
/** A second credential in a value that a proxy or runtime has joined (RFC 9110 §5.3). */
const SECOND_BEARER = /,[ \t]*bearer(?![!-+\--~])/i

/** What an `Authorization` value holds: one secret, or why not. */
export type BearerResult =
  | { readonly ok: true; readonly secret: string }
  | { readonly ok: false; readonly reason: 'missing' | 'invalid_request' | 'malformed' }

const MISSING: BearerResult = Object.freeze({ ok: false, reason: 'missing' })
const INVALID: BearerResult = Object.freeze({ ok: false, reason: 'invalid_request' })
const MALFORMED: BearerResult = Object.freeze({ ok: false, reason: 'malformed' })

/**
 * Reads an `Authorization` value: `"Bearer" 1*8SP token` (RFC 6750 §2.1), the scheme in any case
 * (RFC 9110 §11.1). Spaces around the value are not part of it (RFC 9110 §5.5). A token is any run
 * of visible ASCII without a comma; one that is no secret of the format is malformed. A Bearer
 * credential behind one of another scheme is one too many.
 */
export function parseBearer(header: unknown, format: SecretFormat): BearerResult {
  if (header === undefined || header === null) return MISSING
  if (typeof header !== 'string' || header.length > MAX_HEADER_LENGTH) return INVALID
  const start = skipSpaces(header, 0)
  const end = trimmedEnd(header, start)
  if (!startsWithScheme(header, start, end)) return anotherScheme(header)
  return parseToken(header, { start: start + SCHEME.length, end }, format)
}

interface Span {
  readonly start: number
  readonly end: number
}

function parseToken(header: string, rest: Span, format: SecretFormat): BearerResult {
  if (rest.start === rest.end) return INVALID
  const next = header.charCodeAt(rest.start)
  if (next !== SPACE) return isVisible(next) ? anotherScheme(header) : INVALID
  const token = { start: skipSpaces(header, rest.start), end: rest.end }
  if (token.start - rest.start > MAX_SPACES) return INVALID
  const likeness = likenessAt(header, token, format)
  if (likeness === 'secret') return { ok: true, secret: header.slice(token.start, token.end) }
  return likeness === 'mistyped' || isVisibleRun(header, token) ? MALFORMED : INVALID
}

function anotherScheme(header: string): BearerResult {
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

function isVisibleRun(header: string, { start, end }: Span): boolean {
  for (let at = start; at < end; at += 1) {
    const code = header.charCodeAt(at)
    if (!isVisible(code) || code === COMMA) return false
  }
  return true
}

function isVisible(code: number): boolean {
  return code > SPACE && code < DELETE
}
