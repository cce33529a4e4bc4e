import { crc32 } from 'node:zlib'

/*
 * The header grammar as the RFCs print it, one function a rule, on lists of characters: as slow and
 * obvious as can be. It shares no line with `src`. Where a rule is miftah's own it says so.
 */

type Chars = readonly string[]

/** The answer of the reference: the secret, or the reason of the denial. */
export function referenceAnswer(header: string | null | undefined): string {
  if (header === undefined || header === null) return 'missing'
  const chars = header.split('')
  // miftah's own: nothing longer is read.
  if (chars.length > 512) return 'invalid_request'
  return answerTo(withoutSpacesAround(chars))
}

function answerTo(value: Chars): string {
  if (!isScheme(value)) return withAnother(value) ? 'invalid_request' : 'missing'
  const token = bearerToken(value)
  if (token === null) return 'invalid_request'
  return isSecret(token) ? token : 'malformed'
}

/** RFC 9110 §5.5: whitespace around a field value is not part of it. TABs are left to HTTP. */
function withoutSpacesAround(chars: Chars): Chars {
  const rest = [...chars]
  while (rest[0] === ' ') rest.shift()
  while (rest.at(-1) === ' ') rest.pop()
  return rest
}

/** `auth-scheme = token`, compared without case (RFC 9110 §11.1): Bearer, and nothing visible glued on. */
function isScheme(value: Chars): boolean {
  return value.slice(0, 6).map(lower).join('') === 'bearer' && !isVCHAR(value[6])
}

/** `"Bearer" 1*SP token`. miftah's own: at most 8 SP, and any VCHAR but a comma in a token. */
function bearerToken(value: Chars): string | null {
  const rest = value.slice(6)
  let spaces = 0
  while (rest[0] === ' ') {
    rest.shift()
    spaces += 1
  }
  if (spaces < 1 || spaces > 8 || rest.length === 0) return null
  return rest.every((char) => isVCHAR(char) && char !== ',') ? rest.join('') : null
}

/** A list (RFC 9110 §5.6.1) that has a Bearer credential behind a comma: two lines were joined. */
function withAnother(value: Chars): boolean {
  return value.some((char, at) => char === ',' && isJoined(value.slice(at + 1)))
}

function isJoined(behind: Chars): boolean {
  const rest = [...behind]
  while (rest[0] === ' ' || rest[0] === '\t') rest.shift()
  const isOne = rest.slice(0, 6).map(lower).join('') === 'bearer'
  return isOne && (rest[6] === ',' || !isVCHAR(rest[6]))
}

/** RFC 5234 B.1: VCHAR = %x21-7E. */
function isVCHAR(char: string | undefined): boolean {
  return char !== undefined && char >= '!' && char <= '~'
}

function lower(char: string): string {
  return char >= 'A' && char <= 'Z' ? String.fromCharCode(char.charCodeAt(0) + 32) : char
}

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** miftah's own: the format of a secret, its checksum by zlib. */
function isSecret(token: string): boolean {
  if (token.length !== 55) return false
  const [brand, environment, rest = '', ...more] = token.split('_')
  if (brand !== 'svc' || more.length > 0) return false
  if (environment !== 'live' && environment !== 'test') return false
  if (![...rest].every((char) => DIGITS.includes(char))) return false
  return checksumValue(token.slice(-6)) === BigInt(crc32(token.slice(0, -6)))
}

function checksumValue(digits: string): bigint {
  return [...digits].reduce((sum, digit) => sum * 62n + BigInt(DIGITS.indexOf(digit)), 0n)
}
