import type { FaultEvent } from '../events/api-key-event.ts'
import { parseInput } from '../keys/input/parse.ts'
import type { InputSchemas } from '../keys/input/schemas.ts'
import type { RevocationFields } from '../keys/revoke-key.ts'
import type { RevocationFilters } from '../keys/revoke-keys.ts'
import type { RotationFields } from '../keys/rotate-key.ts'
import type { KeyChanges } from '../keys/update-key.ts'
import type { Authentication, Requirement } from '../model/denial.ts'
import type { AuthenticatedKey } from '../model/key.ts'
import type { KeyFields } from '../model/new-key.ts'
import type { ResourceRule } from '../restrictions/resource-check.ts'
import type { AccessCheck, GivenText } from './access-check.ts'

/**
 * A property of `ApiKeys` for HTTP adapters. A registered symbol, so that an adapter from one copy of the
 * package finds it on keys from another.
 */
export const httpEntrance: unique symbol = Symbol.for('miftah.httpEntrance')

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

export type AuthenticateChecked<S extends string> = (
  header: GivenText,
  check: AccessCheck<S>,
) => Authentication<S> | Promise<Authentication<S>>

/** The entrance of these keys or of those that an object stands in for; `undefined` without one. */
export function anyEntranceOf<S extends string>(keys: object): HttpEntrance<S> | undefined {
  return Reflect.get(keys, httpEntrance)
}

/**
 * Checks what users send, without doing what they ask for. Each check returns the fields in form, or throws
 * `invalid_input` with every problem at once. The plan is not looked at.
 */
export interface Checker<S extends string> {
  /** The fields of a new key, in which `expiresAt` may be RFC 3339 text. */
  readonly fields: (input: unknown) => KeyFields<S>
  /**
   * The fields of an update. Only `updateKey` knows the key's expiry and metadata, and says whether a new
   * expiry is too soon or there are too many entries.
   */
  readonly changes: (input: unknown) => KeyChanges<S>
  /** The fields of a rotation. */
  readonly rotation: (input: unknown) => RotationFields
  /** The fields of a revocation. */
  readonly revocation: (input: unknown) => RevocationFields
  /** The filters of a revocation of several keys. */
  readonly revocations: (input: unknown) => RevocationFilters<S>
}

export function checker<S extends string>(schemas: InputSchemas<S>): Checker<S> {
  return {
    fields: (input) => parseInput(schemas.fields, input),
    changes: (input) => parseInput(schemas.change, input),
    rotation: (input) => parseInput(schemas.rotation, input),
    revocation: (input) => parseInput(schemas.revocation, input),
    revocations: (input) => parseInput(schemas.bulk, input),
  }
}
