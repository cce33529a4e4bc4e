import { OptionChecks } from '../lib/option-checks.ts'
import { isBrand } from '../secret/format.ts'

/** Throws a `TypeError` in the name of the caller for what cannot be a brand. */
export function checkBrand(caller: string, brand: string): void {
  const message = 'the brand must be a lower-case letter and 1 to 3 lower-case letters or digits.'
  new OptionChecks(caller).that(isBrand(brand), message)
}
