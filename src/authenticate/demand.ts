import { propertyOf } from '../lib/property.ts'
import type { Requirement } from '../model/requirement.ts'
import type { ScopeCatalogue } from '../scopes/catalogue.ts'
import { checkCost } from './cost.ts'
import { checkRequirement } from './requirement.ts'

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
  options?: { readonly cost?: number | undefined },
): Demand<S> {
  return {
    cost: checkCost(options && propertyOf(options, 'cost')),
    required: checkRequirement(catalogue, requirement),
  }
}
