import type { Checker, KeyChanges, KeyFields } from '../../../../../src/http/index.ts'
import type { ApiKeys, Environment, KeyStatus } from '../../../../../src/index.ts'
import type { Known } from '../../../../../src/lib/known-names.ts'
import { keyFields } from '../../../../../src/storage/index.ts'
import type { OnWire } from './key.ts'

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

/** Which requests to count. Instants are RFC 3339 with an offset. */
export interface WireUsageQuery
  extends OnWire<Omit<Parameters<ApiKeys['keyUsage']>[0], 'workspaceId' | 'id'>> {}

/** Which events of a key to read. */
export interface WireEventsQuery {
  /** `nextCursor` of the previous page; none for the first page. */
  readonly cursor?: string
  /** How many events at most: 1 to 200, default 50. */
  readonly limit?: number
}

/** Which resources to read. */
export interface WireResourceQuery {
  /** Only those whose name has this text. Default: any. */
  readonly search?: string
  /** Those with these ids, at most 100, instead of a search. */
  readonly id?: string | readonly string[]
  /** `nextCursor` of the previous page; none for the first page. */
  readonly cursor?: string
}

/** The filters of a revocation of several keys: its body. At least one is needed. */
export interface RevokeKeysBody extends Checked<'revocations'> {}

/** The queries by their names in the API description. */
interface Queries {
  readonly ListQuery: ListQuery
  readonly UsageQuery: WireUsageQuery
  readonly EventsQuery: WireEventsQuery
  readonly ResourceQuery: WireResourceQuery
}

/** The name of a query. */
export type QueryKind = keyof Queries

/** The parameters of each query. The core checks their values. */
export const QUERIES: { readonly [Kind in QueryKind]: Known<Required<Queries[Kind]>> } = {
  ListQuery: {
    ...{ status: true, environment: true, scope: true, creatorId: true, resource: true },
    ...{ sort: true, search: true, unusedForDays: true, cursor: true, limit: true },
  },
  UsageQuery: { from: true, to: true },
  EventsQuery: { cursor: true, limit: true },
  ResourceQuery: { search: true, id: true, cursor: true },
}

/** Every field that an update can change. */
export const CHANGEABLE_FIELDS: readonly (keyof UpdateKeyBody)[] = Object.values(keyFields).flatMap(
  (field) => ('update' in field && field.update === 'caller' ? [field.view] : []),
)
