import * as z from 'zod/mini'
import type {
  Environment,
  KeyChanges,
  KeyFields,
  KeyStatus,
  RotationFields,
} from '../../../../../src/index.ts'
import { environment, status } from './key.ts'

/** Which keys to list, and from where. */
export interface ListQuery {
  /** Only keys with this status. Default: any. */
  readonly status?: KeyStatus
  /** Only keys of this environment. Default: both. */
  readonly environment?: Environment
  /** `nextCursor` of the previous page; none for the first page. */
  readonly cursor?: string
  /** How many keys at most: 1 to 200, default 50. */
  readonly limit?: number
}

/** The fields of a new key: the body of a create. */
export interface CreateKeyBody extends Omit<KeyFields, 'expiresAt'> {
  /** When it expires, in RFC 3339 with an offset; `null` for never. Default: as the plan says. */
  readonly expiresAt?: string | null
}

/** The fields of a key that change: the body of an update. Those left out stay as they are. */
export interface UpdateKeyBody extends Omit<KeyChanges, 'expiresAt'> {
  /** When it expires, in RFC 3339 with an offset; `null` for never. */
  readonly expiresAt?: string | null
}

/** How a key is rotated: the body of a rotation. */
export interface RotateKeyBody extends Omit<RotationFields, 'expiresAt'> {
  /** When the new key expires, in RFC 3339 with an offset; `null` for never. */
  readonly expiresAt?: string | null
}

/** The query of the list. The core checks its values; this names and describes them. */
export const listQuery = z.strictObject({
  status: z.optional(status),
  environment: z.optional(environment),
  cursor: z.optional(z.string().check(z.describe('`nextCursor` of the previous page.'))),
  limit: z._default(z.int().check(z.minimum(1), z.maximum(200)), 50),
})

/** The body of a call whose path says everything. */
export const noFields = z.strictObject({}).check(z.describe('An object without fields.'))

/** Every field that an update can change. */
export const CHANGEABLE_FIELDS = Object.keys({
  name: true,
  scopes: true,
  expiresAt: true,
  metadata: true,
} satisfies Record<keyof UpdateKeyBody, true>) as readonly (keyof UpdateKeyBody)[]
