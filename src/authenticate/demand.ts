import type { ScopeCatalogue } from '../scopes/catalogue.ts'
import { type AuthenticateOptions, checkCost } from './cost.ts'
import { checkRequirement, type Requirement } from './requirement.ts'

/** What a request requires of its key, already checked. */
export interface Demand<S extends string> {
  readonly required: Requirement<S>
  readonly cost: number
}

/**
 * Checks what a request requires of its key. Throws `unknown_scope` for a scope outside the catalogue
 * and a `TypeError` for a bad requirement or cost.
 */
export function checkDemand<S extends string>(
  catalogue: ScopeCatalogue<S>,
  requirement: Requirement<S>,
  options?: AuthenticateOptions,
): Demand<S> {
  return {
    cost: options?.cost === undefined ? 1 : checkCost(options.cost),
    required: checkRequirement(catalogue, requirement),
  }
}
