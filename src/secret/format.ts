import type { Environment } from '../keys/api-key.ts'
import { CHECKSUM_LENGTH, checksumOf, hasChecksum } from './checksum.ts'

/** 40 random base62 characters: 238 bits, above the 112 of NIST SP 800-63B-4 §3.1.2.2. */
export const RANDOM_LENGTH = 40
/** What follows `{brand}_{environment}_`. */
export const TAIL_LENGTH = RANDOM_LENGTH + CHECKSUM_LENGTH
/** How much of a secret is stored for display. */
export const PREFIX_LENGTH = 12

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

/** What a text is: a secret, one with a wrong checksum, or something else. */
export type SecretClass = 'secret' | 'mistyped' | 'other'

/** Classifies whole texts. */
export type SecretClassifier = (text: string) => SecretClass

/**
 * Makes a classifier for the secrets of a brand. It decides nothing about trust, since anyone can
 * compute a checksum; it spares the hash and the storage a mistyped string.
 */
export function secretClassifier(brand: string): SecretClassifier {
  const shape = new RegExp(`^${shapeOf(brand)}$`)
  return (text) => {
    if (!shape.test(text)) return 'other'
    return hasChecksum(text) ? 'secret' : 'mistyped'
  }
}
