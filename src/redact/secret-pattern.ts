import { OptionChecks } from '../lib/option-checks.ts'
import { isBrand, secretTest, shapeOf } from '../secret/format.ts'

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
