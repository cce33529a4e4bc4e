import type { FaultEvent } from '../events/api-key-event.ts'
import type { Checker } from '../keys/input/checker.ts'
import type { Authentication } from '../model/denial.ts'
import type { AuthenticatedKey } from '../model/key.ts'
import type { Requirement } from '../model/requirement.ts'
import type { ResourceRule } from '../restrictions/resource-check.ts'
import type { AccessCheck, GivenText } from './access-check.ts'

/**
 * A property of `ApiKeys` for HTTP adapters. A registered symbol, so that an adapter from one copy of the
 * package finds it on keys from another.
 */
export const httpEntrance: unique symbol = Symbol.for('miftah.httpEntrance')

/** What stands under {@link httpEntrance}. */
export interface HttpEntrance<S extends string> {
  /** The keys that it belongs to. An object that stands in for them is another one. */
  readonly keys: object
  /**
   * Decides as `authenticate` does for a check that was made before, and answers without a promise when there
   * is nothing to wait for.
   */
  readonly authenticate: AuthenticateChecked<S>
  readonly check: Checker<S>
  /** Reports a request that was refused because it came over plain HTTP to `onEvent`. */
  readonly reportCleartext: () => void
  /** Decides whether an accepted key meets a requirement and reaches what a request touches. */
  readonly authorize: (
    key: AuthenticatedKey,
    requirement: Requirement<S>,
    rule: ResourceRule | undefined,
  ) => Authentication<S> | Promise<Authentication<S>>
  /** Sets the listener for faults where the host gave no `onEvent`. The first one stays. */
  readonly listen: (listener: (fault: FaultEvent) => void) => void
}

/** Decides as `authenticate` does. */
export type AuthenticateChecked<S extends string> = (
  header: GivenText,
  check: AccessCheck<S>,
) => Authentication<S> | Promise<Authentication<S>>

/** The entrance of these keys or of those that an object stands in for; `undefined` without one. */
export function anyEntranceOf<S extends string>(keys: object): HttpEntrance<S> | undefined {
  return Reflect.get(keys, httpEntrance)
}

/** The entrance of these keys; `undefined` for an object that stands in for an `ApiKeys`. */
export function entranceOf<S extends string>(keys: object): HttpEntrance<S> | undefined {
  const entrance = anyEntranceOf<S>(keys)
  return entrance?.keys === keys ? entrance : undefined
}
