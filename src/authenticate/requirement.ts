import { ownData, ownItems } from '../lib/own-data.ts'
import { ApiKeyError } from '../model/errors.ts'
import type { Requirement, ScopeRequirement } from '../model/requirement.ts'
import { isScopeToken, type ScopeCatalogue } from '../scopes/catalogue.ts'

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
  if (typeof requirement === 'string') throw unknownScope(requirement)
  const { anyOf, allOf, ...others } = Object(ownData(requirement)) as Record<string, unknown>
  if ((anyOf === undefined) === (allOf === undefined) || Object.keys(others).length > 0) {
    throw new TypeError('A requirement must be a scope, { anyOf }, { allOf } or null.')
  }
  return anyOf === undefined
    ? Object.freeze({ allOf: checkScopes(catalogue, 'allOf', allOf) })
    : Object.freeze({ anyOf: checkScopes(catalogue, 'anyOf', anyOf) })
}

function checkScopes<S extends string>(
  catalogue: ScopeCatalogue<S>,
  name: 'anyOf' | 'allOf',
  list: unknown,
): readonly [S, S, ...S[]] {
  const scopes = ownItems(list, MOST + 1)
  const isList = Array.isArray(scopes) && scopes.length >= LEAST && scopes.length <= MOST
  if (!isList || new Set(scopes).size < scopes.length) {
    throw new TypeError(
      `${name} of a requirement must list ${LEAST} to ${MOST} different scopes; a single one is required by its name alone.`,
    )
  }
  for (const scope of scopes) if (!catalogue.has(scope)) throw unknownScope(scope)
  return Object.freeze(scopes as [S, S, ...S[]])
}

/** A secret that was passed in the place of a scope is longer, and must not get into a log. */
const MAX_NAMED_LENGTH = 40

function unknownScope(scope: unknown): ApiKeyError {
  const isNamed = isScopeToken(scope) && scope.length <= MAX_NAMED_LENGTH
  return new ApiKeyError('unknown_scope', isNamed ? { scope } : {})
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
