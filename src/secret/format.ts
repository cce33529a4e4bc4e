import type { Environment } from '../keys/api-key.ts'
import { base62Value, toBase62 } from './base62.ts'
import { crcState, crcStep4, crcValue } from './checksum.ts'

/** 40 random base62 characters: 238 bits, above the 112 of NIST SP 800-63B-4 §3.1.2.2. */
export const RANDOM_LENGTH = 40
/** Six base62 characters hold any CRC-32. */
export const CHECKSUM_LENGTH = 6
/** How much of a secret is stored for display. */
export const PREFIX_LENGTH = 12

const ENVIRONMENTS: readonly Environment[] = ['live', 'test']

const BRAND = /^[a-z][a-z0-9]{1,3}$/

/** Whether a value can be a brand. Two to four characters, so that a prefix shows random ones. */
export function isBrand(value: unknown): value is string {
  return typeof value === 'string' && BRAND.test(value)
}

/** The start of a secret that its brand and environment decide, and its checksum so far. */
interface Head {
  readonly codes: Uint8Array
  readonly crc: number
}

/** How the secrets of one brand look. */
export interface SecretFormat {
  /** Every secret of the brand has exactly this many characters. */
  readonly length: number
  readonly heads: readonly Head[]
}

/** How the secrets of a brand look. */
export function secretFormat(brand: string): SecretFormat {
  const heads = ENVIRONMENTS.map((environment) => {
    const text = headOf(brand, environment)
    return Object.freeze({ codes: codesOf(text), crc: crcState(text) })
  })
  const length = headOf(brand, 'live').length + RANDOM_LENGTH + CHECKSUM_LENGTH
  return Object.freeze({ length, heads: Object.freeze(heads) })
}

/** Puts a secret together: `{brand}_{environment}_{random}{checksum of all before it}`. */
export function formatSecret(brand: string, environment: Environment, random: string): string {
  const body = headOf(brand, environment) + random
  return body + toBase62(crcValue(crcState(body)), CHECKSUM_LENGTH)
}

/** What a text looks like: a secret, one with a wrong checksum, or something else. */
export type Likeness = 'secret' | 'mistyped' | 'other'

/**
 * What a text looks like from `start` to before `end`. Says nothing about trust: anyone can compute
 * a checksum. It spares the hash and the storage a mistyped string.
 */
export function likenessAt(
  text: string,
  start: number,
  end: number,
  { length, heads }: SecretFormat,
): Likeness {
  if (end - start !== length) return 'other'
  for (let at = 0; at < heads.length; at += 1) {
    const head = heads[at] as Head
    if (hasAt(text, start, head.codes)) return restLikeness(text, start + head.codes.length, head)
  }
  return 'other'
}

/** `startsWith` with a position costs more than the few characters are worth. */
function hasAt(text: string, start: number, codes: Uint8Array): boolean {
  for (let at = 0; at < codes.length; at += 1) {
    if (text.charCodeAt(start + at) !== codes[at]) return false
  }
  return true
}

/** One pass, four characters at a time: the random part is checked and summed at once. */
function restLikeness(text: string, start: number, head: Head): Likeness {
  const end = start + RANDOM_LENGTH
  let crc = head.crc
  let digits = 0
  for (let at = start; at < end; at += 4) {
    const a = text.charCodeAt(at)
    const b = text.charCodeAt(at + 1)
    const c = text.charCodeAt(at + 2)
    const d = text.charCodeAt(at + 3)
    digits |= base62Value(a) | base62Value(b) | base62Value(c) | base62Value(d)
    crc = crcStep4(crc, a | (b << 8) | (c << 16) | (d << 24))
  }
  const checksum = checksumAt(text, end)
  if (digits < 0 || checksum < 0) return 'other'
  return crcValue(crc) === checksum ? 'secret' : 'mistyped'
}

/** The checksum written at `start`, or -1 where it is not base62. */
function checksumAt(text: string, start: number): number {
  let value = 0
  let digits = 0
  for (let at = start; at < start + CHECKSUM_LENGTH; at += 1) {
    const digit = base62Value(text.charCodeAt(at))
    digits |= digit
    value = value * 62 + digit
  }
  return digits < 0 ? -1 : value
}

function codesOf(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0))
}

function headOf(brand: string, environment: Environment): string {
  return `${brand}_${environment}_`
}
