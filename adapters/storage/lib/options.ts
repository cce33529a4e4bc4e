import { OptionChecks, type OptionRules, optional } from '../../../src/lib/option-checks.ts'

export { count } from '../../../src/lib/option-checks.ts'

/** A rule for an option that is true or false. */
export const flag = optional((value) => typeof value === 'boolean', 'must be true or false.')

/** The options without anything inherited. Throws a `TypeError` for one that is not known, or breaks its rule. */
export function checkOptions<T extends object>(
  caller: string,
  options: T,
  rules: OptionRules<T>,
): T {
  return new OptionChecks(caller).object(options, rules)
}
