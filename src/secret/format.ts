import type { Environment } from '../api-key.ts'
import { base62Value, toBase62 } from './base62.ts'
import { crc32 } from './checksum.ts'

/** 40 random base62 characters: 238 bits, above the 112 of NIST SP 800-63B-4 §3.1.2.2. */
export const RANDOM_LENGTH = 40
/** Six base62 characters hold any CRC-32. */
export const CHECKSUM_LENGTH = 6
/** How much of a secret is stored for display. */
export const PREFIX_LENGTH = 12

const ENVIRONMENT_LENGTH = 4
const UNDERSCORE = 95

/** How the secrets of one brand look. */
export interface SecretFormat {
  readonly brand: string
  /** Every secret of the brand has exactly this many characters. */
  readonly length: number
}

/** Two to four characters, so that a 12-character prefix always shows two random ones. */
export function secretFormat(brand: string): SecretFormat {
  const head = brand.length + 1 + ENVIRONMENT_LENGTH + 1
  return Object.freeze({ brand, length: head + RANDOM_LENGTH + CHECKSUM_LENGTH })
}

/** Puts a secret together: `{brand}_{environment}_{random}{checksum of all before it}`. */
export function formatSecret(brand: string, environment: Environment, random: string): string {
  const body = `${brand}_${environment}_${random}`
  return body + toBase62(crc32(body), CHECKSUM_LENGTH)
}

/**
 * Whether a text has the shape and the checksum of a secret of this format. Says nothing about
 * trust: anyone can compute a checksum. It spares the hash and the storage a mistyped string.
 */
export function isWellFormedSecret(text: string, format: SecretFormat): boolean {
  if (text.length !== format.length) return false
  const { brand } = format
  if (!text.startsWith(brand) || text.charCodeAt(brand.length) !== UNDERSCORE) return false
  if (!hasEnvironment(text, brand.length + 1)) return false
  const bodyEnd = format.length - CHECKSUM_LENGTH
  const randomStart = bodyEnd - RANDOM_LENGTH
  return isBase62(text, randomStart, bodyEnd) && crc32(text, bodyEnd) === checksumAt(text, bodyEnd)
}

function hasEnvironment(text: string, at: number): boolean {
  return text.startsWith('live_', at) || text.startsWith('test_', at)
}

function isBase62(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) {
    if (base62Value(text.charCodeAt(at)) < 0) return false
  }
  return true
}

/** The checksum written at `start`, or -1 where it is not base62. */
function checksumAt(text: string, start: number): number {
  let value = 0
  for (let at = start; at < text.length; at += 1) {
    const digit = base62Value(text.charCodeAt(at))
    if (digit < 0) return -1
    value = value * 62 + digit
  }
  return value
}
