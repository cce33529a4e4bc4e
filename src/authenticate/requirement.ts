import { ownData, ownItems } from '../lib/own-data.ts'
import { ApiKeyError } from '../model/errors.ts'
import type { Requirement, ScopeRequirement } from '../model/requirement.ts'
import type { ScopeCatalogue } from '../scopes/catalogue.ts'

const LEAST = 2
const MOST = 16

/**
 * A requirement, checked: a list of scopes comes back as a frozen copy.
 *
 * Throws `unknown_scope` for a scope outside the catalogue and a `TypeError` for anything that is no
 * requirement.
 */
export function checkRequirement<S extends string>(
  catalogue: ScopeCatalogue<S>,
  requirement: Requirement<S>,
): Requirement<S> {
  if (requirement === null || catalogue.has(requirement)) return requirement
  if (typeof requirement === 'string') throw new ApiKeyError('unknown_scope')
  const { anyOf, allOf, ...others } = Object(ownData(requirement)) as Record<string, unknown>
  if ((anyOf === undefined) === (allOf === undefined) || Object.keys(others).length > 0) {
    throw new TypeError('A requirement must be a scope, { anyOf }, { allOf } or null.')
  }
  return anyOf === undefined
    ? Object.freeze({ allOf: checkScopes(catalogue, allOf) })
    : Object.freeze({ anyOf: checkScopes(catalogue, anyOf) })
}

function checkScopes<S extends string>(catalogue: ScopeCatalogue<S>, list: unknown): readonly S[] {
  const scopes = ownItems(list, MOST + 1)
  const isList = Array.isArray(scopes) && scopes.length >= LEAST && scopes.length <= MOST
  if (!isList || new Set(scopes).size < scopes.length) {
    throw new TypeError(`A requirement must list ${LEAST} to ${MOST} different scopes.`)
  }
  if (!scopes.every((scope): scope is S => catalogue.has(scope))) {
    throw new ApiKeyError('unknown_scope')
  }
  return Object.freeze(scopes)
}

/** Whether a key with these scopes meets a checked requirement. */
export function isMet<S extends string>(
  requirement: ScopeRequirement<S>,
  scopes: readonly string[],
): boolean {
  if (typeof requirement === 'string') return scopes.includes(requirement)
  const isHeld = (scope: S) => scopes.includes(scope)
  return 'anyOf' in requirement ? requirement.anyOf.some(isHeld) : requirement.allOf.every(isHeld)
}
