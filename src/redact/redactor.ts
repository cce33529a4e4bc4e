import { PREFIX_LENGTH } from '../model/limits.ts'
import { RANDOM_LENGTH, TAIL_LENGTH } from '../secret/format.ts'
import { checkBrand } from './check-brand.ts'
import { MASK } from './mask.ts'
import { base64Masker } from './mask-base64.ts'
import { wrappedMasker } from './mask-wrapped.ts'
import { UNDERSCORE } from './underscore.ts'

const DIGIT = '[0-9A-Za-z]'
/** Of a piece this short, 19 random characters are missing: 113 bits, NIST SP 800-63B-4 §3.1.2.2. */
const HARMLESS_LENGTH = RANDOM_LENGTH - 19

/**
 * Makes a function that masks the secrets of a brand (default `svc`) in any text, for logs and error
 * reports. The first 12 characters stay, which is the prefix that is shown anyway, and `…` stands for
 * the rest. Cut-off secrets are masked too, down to a length of which nobody could guess the rest
 * (112 bits, NIST SP 800-63B-4 §3.1.2.2), and so are those with a wrong checksum. Secrets in base64 on
 * one line, with an escaped `_`, and whole ones broken over lines are masked as well. It takes linear
 * time, leaves every other text as it is, and masks nothing twice. JSON stays JSON. Throws a
 * `TypeError` for what cannot be a brand.
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
  const heads = [`${brand}_live_`, `${brand}_test_`]
  const maskBase64 = base64Masker(heads, { least, most: TAIL_LENGTH - shown })
  const maskWrapped = wrappedMasker(brand)
  // Broken ones first: of each line by itself, only a cut-off secret would be seen.
  return (text) => maskBase64(maskWrapped(text)).replace(rest, MASK)
}
