import { refuseUnknown } from '../lib/known-names.ts'
import { ownData, ownItems, propertyOf } from '../lib/own-data.ts'
import type { Requirement, ScopeRequirement } from '../model/denial.ts'
import { ApiKeyError } from '../model/errors.ts'
import type { ResourceRule, TouchedResources } from '../restrictions/resource-check.ts'
import { isScopeToken, type ScopeCatalogue } from '../scopes/catalogue.ts'

/** What a caller of `authenticate` knows about a request beside its header. */
export interface AuthenticateOptions<T extends string = string> {
  /** How many calls the request counts as for the limiter: 1 to 1,000,000. Default 1. */
  readonly cost?: number
  /**
   * What the request touches, for a key that is restricted to some resources: the id of each type, or several
   * that must all be allowed; `'none'` for nothing; `'by_handler'` if the caller looks at `key.resources`
   * itself. Such a key is refused without it. An unrestricted one passes.
   */
  readonly resource?: TouchedResources<T> | 'none' | 'by_handler'
  /**
   * The address of the caller, for a key that is restricted to some networks; such a key is refused without
   * it. Give the address that your proxy has verified, never a header that a client can send.
   */
  readonly clientAddress?: string | null
}

export type GivenText = string | null | undefined

/** Throws a `TypeError` for what no request has, such as a whole headers object. */
export function checkText(text: GivenText, what: string): GivenText {
  if (text === undefined || text === null || typeof text === 'string') return text
  throw new TypeError(`${what}, as text, null or undefined; it was given another type.`)
}

export interface AccessCheck<S extends string> {
  readonly required: Requirement<S>
  /** 0 for a request that is not the limiter's concern. */
  readonly cost: number
  /** What is known of the request for restricted keys; `null` where nothing is. */
  readonly surroundings: Surroundings | null
}

/** What is known of one request besides its credential. Each is called for a restricted key only. */
export interface Surroundings {
  /** The caller's address; `null` when it is not known. */
  readonly clientAddress?: () => unknown
  readonly resource?: ResourceRule
  /** `by_caller` where the caller looks at the networks of the key itself. */
  readonly networks?: 'by_caller'
  /** Keys of any other workspace are unknown here. */
  readonly workspaceId?: string | null
}

/**
 * Checks what a request requires of its key. Throws `unknown_scope` for a scope outside the catalogue and a
 * `TypeError` for a bad requirement or cost.
 */
export function accessCheck<S extends string>(
  catalogue: ScopeCatalogue<S>,
  requirement: Requirement<S>,
  options?: AuthenticateOptions,
): AccessCheck<S> {
  return {
    cost: checkCost(options && propertyOf(options, 'cost')),
    required: checkRequirement(catalogue, requirement),
    surroundings: options === undefined ? null : surroundingsOf(options),
  }
}

const KNOWN: readonly (keyof AuthenticateOptions)[] = ['cost', 'resource', 'clientAddress']

/**
 * What a caller has said about its request. Throws a `TypeError` for an unknown option, and for another word
 * than those of the rule.
 */
export function surroundingsOf(options: AuthenticateOptions): Surroundings {
  refuseUnknown(options, KNOWN, 'authenticate: there is no option')
  const resource = propertyOf(options, 'resource')
  const clientAddress = propertyOf(options, 'clientAddress')
  if (typeof resource === 'string' && resource !== 'none' && resource !== 'by_handler') {
    throw new TypeError(
      'Option "resource" must name resources by type, or be "none" or "by_handler".',
    )
  }
  return {
    clientAddress: () => clientAddress ?? null,
    ...(resource !== undefined && {
      resource: typeof resource === 'string' ? resource : () => resource,
    }),
  }
}

const MAX_COST = 1_000_000

/** Throws a `TypeError` for a cost that is no whole number from 1 to 1,000,000. */
export function checkCost(cost: unknown = 1): number {
  if (Number.isSafeInteger(cost) && (cost as number) >= 1 && (cost as number) <= MAX_COST) {
    return cost as number
  }
  throw new TypeError('The cost of a request must be a whole number from 1 to 1,000,000.')
}

const LEAST = 2
const MOST = 16

/**
 * A requirement, checked: a list of scopes comes back as a frozen copy. Throws `unknown_scope` for a scope
 * outside the catalogue and a `TypeError` for anything that is no requirement.
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

export function isMet<S extends string>(
  requirement: ScopeRequirement<S>,
  scopes: readonly string[],
): boolean {
  if (typeof requirement === 'string') return scopes.includes(requirement)
  const isHeld = (scope: S) => scopes.includes(scope)
  return 'anyOf' in requirement ? requirement.anyOf.some(isHeld) : requirement.allOf.every(isHeld)
}
