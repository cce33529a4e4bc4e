import { sha256Hex } from '#sha256'
import { refuseUnknown } from '../lib/known-names.ts'
import type { OptionChecks } from '../lib/option-checks.ts'
import { ownData } from '../lib/own-data.ts'
import { PREFIX_LENGTH } from './format.ts'

/** A format of keys issued by another system, and what that system stored of them. */
export interface KeyFormat {
  /**
   * Its name for good, stored with each key: a lower-case letter and up to 11 lower-case letters, digits and
   * `-`.
   */
  readonly id: string
  /** Whether a text may be such a key. Asked only about texts that are no key of miftah's own. */
  readonly test: (secret: string) => boolean
  /**
   * Turns a key into the text that the other system stored: any deterministic function, as a hash or an HMAC.
   * Salted hashes cannot be looked up. Default: the key itself.
   */
  readonly digest?: (secret: string) => string | Promise<string>
}

export type Format = Required<KeyFormat>

const MOST_FORMATS = 8
const MAX_DIGEST_LENGTH = 1_024
const FORMAT_ID = new RegExp(`^[a-z][a-z0-9-]{0,${PREFIX_LENGTH - 1}}$`)

/** Throws a `TypeError` that says what is wrong with the formats. */
export function checkFormats(checks: OptionChecks, formats: unknown): readonly Format[] {
  if (formats === undefined) return []
  checks.that(
    Array.isArray(formats) && formats.length <= MOST_FORMATS,
    `option "formats" must be a list of at most ${MOST_FORMATS}.`,
  )
  const checked = (formats as unknown[]).map((format) => checkFormat(checks, format))
  const ids = new Set(checked.map(({ id }) => id))
  checks.that(ids.size === checked.length, 'option "formats" must not repeat an id.')
  return Object.freeze(checked)
}

const KNOWN: readonly (keyof KeyFormat)[] = ['id', 'test', 'digest']

function checkFormat(checks: OptionChecks, format: unknown): Format {
  const given = Object(ownData(format))
  refuseUnknown(given, KNOWN, 'createApiKeys: a format has no option')
  const { id, test, digest = itself } = given
  checks.that(
    typeof id === 'string' && FORMAT_ID.test(id),
    `each id in "formats" must be 1 to ${PREFIX_LENGTH} lower-case letters, digits and -, the first a letter.`,
  )
  checks.that(typeof test === 'function', `format "${id}" needs a function "test".`)
  checks.that(typeof digest === 'function', `format "${id}": "digest" must be a function.`)
  return Object.freeze({ id, test, digest })
}

function itself(secret: string): string {
  return secret
}

export function isDigest(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= MAX_DIGEST_LENGTH
}

/**
 * The stored hash of a key with a format. It is hashed in a domain of its own, so that neither what the other
 * system stored nor what miftah stores is itself a key.
 */
export function foreignHash(format: string, digest: string): string {
  return sha256Hex(`miftah:${format}:${digest}`)
}
