import * as z from 'zod/mini'
import type { Checker, KeyChanges, KeyFields } from '../../../../../src/http/index.ts'
import type { ApiKeys, Environment, KeyStatus } from '../../../../../src/index.ts'
import { keyFields } from '../../../../../src/storage/index.ts'
import { environment, instant, type OnWire, status } from './key.ts'

/** A body as the core checks it. */
type Checked<Name extends keyof Checker<string>> = ReturnType<Checker<string>[Name]>

/** Which keys to list, and from where. */
export interface ListQuery {
  /** Only keys with this status, or with one of these. Default: any. */
  readonly status?: KeyStatus | readonly KeyStatus[]
  /** Only keys of this environment. Default: both. */
  readonly environment?: Environment
  /** Only keys with this scope. Default: any. */
  readonly scope?: string
  /** Only keys that the person with this id created. Default: anybody. */
  readonly creatorId?: string
  /** Only keys that reach this resource: its type and its id with a colon between them. Default: any. */
  readonly resource?: string
  /** `createdAt` for the oldest first. Default `-createdAt`. */
  readonly sort?: 'createdAt' | '-createdAt'
  /** Only keys with each of these words in the name, the creator's name or a scope. Default: any. */
  readonly search?: string
  /** Only keys not used, or without a use not created, for this many days. Default: any. */
  readonly unusedForDays?: number
  /** `nextCursor` of the previous page with the same filters; none for the first page. */
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
export interface RotateKeyBody extends Omit<Checked<'rotation'>, 'expiresAt'> {
  /** When the new key expires, in RFC 3339 with an offset; `null` for never. */
  readonly expiresAt?: string | null
}

/** How a key is revoked: the body of a revocation. */
export interface RevokeKeyBody extends Checked<'revocation'> {}

const limit = z._default(z.int().check(z.minimum(1), z.maximum(200)), 50)

/** The query of the list. The core checks its values; this names and describes them. */
export const listQuery = z.strictObject({
  status: z.optional(
    z
      .array(status)
      .check(z.minLength(1), z.describe('One status or several; repeat the parameter.')),
  ),
  environment: z.optional(environment),
  scope: z.optional(z.string()),
  creatorId: z.optional(z.string()),
  resource: z.optional(z.string().check(z.describe('The type and the id: `project:p_1`.'))),
  sort: z.optional(z.enum(['createdAt', '-createdAt'])),
  search: z.optional(
    z
      .string()
      .check(
        z.minLength(1),
        z.maxLength(120),
        z.describe('Words in the name, the creator’s name or a scope.'),
      ),
  ),
  unusedForDays: z.optional(z.int().check(z.minimum(1), z.maximum(3_660))),
  cursor: z.optional(
    z.string().check(z.describe('`nextCursor` of the previous page with the same filters.')),
  ),
  limit,
})

/** Which requests to count. Instants are RFC 3339 with an offset. */
export interface WireUsageQuery
  extends OnWire<Omit<Parameters<ApiKeys['keyUsage']>[0], 'workspaceId' | 'id'>> {}

/** The query of both counts of requests. The core checks its values. */
export const usageQuery = z.strictObject({
  from: instant.check(z.describe('The hour that it is in is the first.')),
  to: instant.check(z.describe('The end: at most 800 hours after `from`.')),
})

/** Which events of a key to read. */
export interface WireEventsQuery {
  /** `nextCursor` of the previous page; none for the first page. */
  readonly cursor?: string
  /** How many events at most: 1 to 200, default 50. */
  readonly limit?: number
}

/** The query of the events of a key. The core checks its values. */
export const eventsQuery = z.strictObject({
  cursor: z.optional(z.string().check(z.describe('`nextCursor` of the previous page.'))),
  limit,
})

/** Which resources to read. */
export interface WireResourceQuery {
  /** Only those whose name has this text. Default: any. */
  readonly search?: string
  /** Those with these ids, at most 100, instead of a search. */
  readonly id?: string | readonly string[]
  /** `nextCursor` of the previous page; none for the first page. */
  readonly cursor?: string
}

/** The query of the resources of a type. */
export const resourceQuery = z.strictObject({
  search: z.optional(z.string().check(z.maxLength(120))),
  id: z.optional(
    z
      .array(z.string().check(z.minLength(1), z.maxLength(128)))
      .check(z.maxLength(100), z.describe('One id or several; repeat the parameter.')),
  ),
  cursor: z.optional(z.string().check(z.maxLength(1_000))),
})

/** The filters of a revocation of several keys: its body. At least one is needed. */
export interface RevokeKeysBody extends Checked<'revocations'> {}

/** The queries by the operations that have them. */
export const QUERIES = {
  ListQuery: listQuery,
  UsageQuery: usageQuery,
  EventsQuery: eventsQuery,
  ResourceQuery: resourceQuery,
} as const

/** The body of a call whose path says everything. */
export const noFields = z.strictObject({}).check(z.describe('An object without fields.'))

/** Every field that an update can change. */
export const CHANGEABLE_FIELDS: readonly (keyof UpdateKeyBody)[] = Object.values(keyFields).flatMap(
  (field) => ('update' in field && field.update === 'caller' ? [field.view] : []),
)
