import { OptionChecks } from '../lib/option-checks.ts'
import {
  isBrand,
  PREFIX_LENGTH,
  RANDOM_LENGTH,
  secretTest,
  shapeOf,
  TAIL_LENGTH,
} from '../secret/format.ts'

/**
 * How `_` is written: as it is; escaped in URLs (up to three times), in Markdown and the like, in JSON and
 * JavaScript (also within JSON), in quoted-printable and encoded words of mail, and in HTML. Letters and
 * digits are not escaped by anyone.
 */
const SPELLINGS = [
  '_',
  '%(?:25){0,2}5[Ff]',
  '\\\\{1,8}(?:_|u005[Ff]|x5[Ff])',
  '=5[Ff]',
  '&(?:lowbar|UnderBar|#0{0,8}95|#[Xx]0{0,8}5[Ff]);',
]

const UNDERSCORE = `(?:${SPELLINGS.join('|')})`
const DIGIT = '[0-9A-Za-z]'
/** Of a piece this short, 19 random characters are missing: 113 bits, NIST SP 800-63B-4 §3.1.2.2. */
const HARMLESS_LENGTH = RANDOM_LENGTH - 19

/**
 * Makes a function that masks the secrets of a brand (default `svc`) in any text, for logs and error reports.
 * The first 12 characters stay, which is the prefix that is shown anyway, and `…` stands for the rest.
 * Cut-off secrets are masked too, down to a length of which nobody could guess the rest (112 bits, NIST SP
 * 800-63B-4 §3.1.2.2), and so are those with a wrong checksum or with an escaped `_`, as in URLs. It takes
 * linear time, leaves every other text as it is, and masks nothing twice. JSON stays JSON. It does not
 * decode: a secret in base64 stays. Throws a `TypeError` for what cannot be a brand.
 *
 * @example
 * ```ts
 * import { createRedactor } from 'miftah/redact'
 *
 * const redact = createRedactor()
 * redact('?key=svc_live_0123456789012345678901234567890123456789000000&page=2')
 * //=> '?key=svc_live_012…&page=2'
 * ```
 */
export function createRedactor(brand = 'svc'): (text: string) => string {
  checkBrand('createRedactor', brand)
  const start = `${brand}${UNDERSCORE}(?:live|test)${UNDERSCORE}`
  const shown = PREFIX_LENGTH - `${brand}_live_`.length
  const least = HARMLESS_LENGTH - shown + 1
  // Looking behind instead of taking the prefix along: what stands before a secret may look like one
  // that ends in its brand, and must not use it up.
  const rest = new RegExp(
    `(?<=${start}${DIGIT}{${shown}})${DIGIT}{${least},${TAIL_LENGTH - shown}}`,
    'g',
  )
  return (text) => text.replace(rest, '…')
}

/**
 * A regular expression, new at each call and with the flag `g`, for every secret of a brand (default `svc`)
 * wherever it stands in a text. It checks the shape but not the checksum, and uses only syntax that RE2
 * supports too, so that `source` works in scanners and log pipelines. It runs in linear time. Throws a
 * `TypeError` for what cannot be a brand.
 */
export function secretPattern(brand = 'svc'): RegExp {
  checkBrand('secretPattern', brand)
  return new RegExp(shapeOf(brand), 'g')
}

/**
 * Whether a text is, from its first character to its last, a secret of a brand (default `svc`) with the right
 * checksum. It tells a secret from noise without asking anyone and says nothing about trust: anyone can
 * compute a checksum. Throws a `TypeError` for what cannot be a brand.
 */
export function looksLikeSecret(text: string, brand = 'svc'): boolean {
  checkBrand('looksLikeSecret', brand)
  return typeof text === 'string' && secretTest(brand)(text)
}

/** Throws a `TypeError` in the name of the caller for what cannot be a brand. */
export function checkBrand(caller: string, brand: string): void {
  const message = 'the brand must be a lower-case letter and 1 to 3 lower-case letters or digits.'
  new OptionChecks(caller).that(isBrand(brand), message)
}
