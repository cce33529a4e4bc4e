import * as z from 'zod/mini'
import type { Environment, KeyFields, KeyStatus } from '../../../../../src/index.ts'
import { environment, status } from './key.ts'

/** Which keys to list, and from where. */
export interface ListQuery {
  /** Only active keys, or only revoked ones. Default: both. */
  readonly status?: KeyStatus
  /** Only keys of this environment. Default: both. */
  readonly environment?: Environment
  /** `nextCursor` of the previous page; none for the first page. */
  readonly cursor?: string
  /** How many keys at most: 1 to 200, default 50. */
  readonly limit?: number
}

/** The fields of a new key: the body of a create. */
export type CreateKeyBody = KeyFields

/** The query of the list. The core checks its values; this names and describes them. */
export const listQuery = z.strictObject({
  status: z.optional(status),
  environment: z.optional(environment),
  cursor: z.optional(z.string().check(z.describe('`nextCursor` of the previous page.'))),
  limit: z._default(z.int().check(z.minimum(1), z.maximum(200)), 50),
})

/** The body of a call whose path says everything. */
export const noFields = z.strictObject({}).check(z.describe('An object without fields.'))
