import type { Environment } from '../model/key.ts'

/** Six base62 characters hold any CRC-32. */
export const CHECKSUM_LENGTH = 6

/** 40 random base62 characters: 238 bits, above the 112 of NIST SP 800-63B-4 §3.1.2.2. */
export const RANDOM_LENGTH = 40
/** How many characters of a secret are stored for display. */
export const PREFIX_LENGTH = 12

/** What follows `{brand}_{environment}_`. */
export const TAIL_LENGTH = RANDOM_LENGTH + CHECKSUM_LENGTH

const BRAND = /^[a-z][a-z0-9]{1,3}$/

/** Whether a value can be a brand. Two to four characters, so that a prefix shows random ones. */
export function isBrand(value: unknown): value is string {
  return typeof value === 'string' && BRAND.test(value)
}

/** Builds a secret: `{brand}_{environment}_{random}{checksum of everything before it}`. */
export function formatSecret(brand: string, environment: Environment, random: string): string {
  const body = `${brand}_${environment}_${random}`
  return body + checksumOf(body)
}

/** A regular expression, as source text, for the shape of a brand's secrets. */
export function shapeOf(brand: string): string {
  return `${brand}_(?:live|test)_[0-9A-Za-z]{${TAIL_LENGTH}}`
}

/** Whether a text is a secret, or what follows its first `start` characters. */
export type SecretTest = (text: string, start?: number) => boolean

/** Makes a test for texts that begin as the secrets of a brand and are as long. */
export function formTest(brand: string): SecretTest {
  const head = `${brand}_`
  const length = `${head}live_`.length + TAIL_LENGTH
  return (text, start = 0) => text.length - start === length && text.startsWith(head, start)
}

/**
 * Makes a test for the secrets of a brand with the right checksum. It decides nothing about trust, since anyone
 * can compute a checksum; it saves the storage a lookup of a mistyped string.
 */
export function secretTest(brand: string): SecretTest {
  const isLive = headTest(`${brand}_live_`)
  const isTest = headTest(`${brand}_test_`)
  return (text, start = 0) => isLive(text, start) || isTest(text, start)
}

/**
 * The same for secrets with this head. One loop over the text as it came: a regular expression and a checksum
 * over a copy of the token take longer; parseHeader has the figure.
 */
function headTest(head: string): (text: string, start: number) => boolean {
  const headState = crcAfter(head, -1)
  return (text, start) => {
    const tailAt = start + head.length
    if (text.length - tailAt !== TAIL_LENGTH || !text.startsWith(head, start)) return false
    const checksumAt = text.length - CHECKSUM_LENGTH
    let state = headState
    let checksum = 0
    for (let at = tailAt; at < text.length; at += 1) {
      const code = text.charCodeAt(at)
      const value = VALUES[code] ?? -1
      if (value < 0) return false
      if (at < checksumAt) state = crcStep(state, code)
      else checksum = checksum * 62 + value
    }
    return checksum === crcOf(state)
  }
}

/** Digits in ASCII order: 0-9, A-Z, a-z. */
export const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** The value of each digit by its character code; -1 for other ASCII characters. */
const VALUES = Int8Array.from({ length: 128 }, (_, code) =>
  BASE62.indexOf(String.fromCharCode(code)),
)

/** A whole number as exactly `width` base62 digits, with leading zeros. */
export function toBase62(value: number, width: number): string {
  let rest = value
  let digits = ''
  for (let at = 0; at < width; at += 1) {
    digits = BASE62.charAt(rest % 62) + digits
    rest = Math.floor(rest / 62)
  }
  return digits
}

/** CRC-32 as in gzip and PNG (ISO 3309), with the reflected polynomial EDB88320. */
const POLYNOMIAL = 0xedb88320

const TABLE = Int32Array.from({ length: 256 }, (_, byte) => {
  let state = byte
  for (let bit = 0; bit < 8; bit += 1) state = (state >>> 1) ^ (state & 1 ? POLYNOMIAL : 0)
  return state
})

/** The CRC-32 of an ASCII text, as an unsigned number. */
export function crc32(text: string): number {
  return crcOf(crcAfter(text, -1))
}

function checksumOf(text: string): string {
  return toBase62(crc32(text), CHECKSUM_LENGTH)
}

/** The CRC-32 that a state stands for. The state before the first character is -1. */
function crcOf(state: number): number {
  return ~state >>> 0
}

function crcAfter(text: string, before: number): number {
  let state = before
  for (let at = 0; at < text.length; at += 1) state = crcStep(state, text.charCodeAt(at))
  return state
}

/** The state after one more ASCII character, given by its code. */
function crcStep(state: number, code: number): number {
  return (state >>> 8) ^ (TABLE[(state ^ code) & 0xff] as number)
}
