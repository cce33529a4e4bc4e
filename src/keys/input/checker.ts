import type { KeyFields } from '../../model/new-key.ts'
import type { RevocationFields } from '../revoke-key.ts'
import type { RevocationFilters } from '../revoke-keys.ts'
import type { RotationFields } from '../rotate-key.ts'
import type { KeyChanges } from '../update-key.ts'
import { parseInput } from './parse.ts'
import type { InputSchemas } from './schemas.ts'

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

/** The checks of these inputs. */
export function checker<S extends string>(schemas: InputSchemas<S>): Checker<S> {
  return {
    fields: (input) => parseInput(schemas.fields, input),
    changes: (input) => parseInput(schemas.change, input),
    rotation: (input) => parseInput(schemas.rotation, input),
    revocation: (input) => parseInput(schemas.revocation, input),
    revocations: (input) => parseInput(schemas.bulk, input),
  }
}
