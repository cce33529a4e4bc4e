import type { Grantable, UsageHistory } from '../../../../../src/index.ts'
import type { KeyEventsAnswer } from './events.ts'
import type { OnWire, WireKey } from './key.ts'
import type { KeyOperation } from './key-operations.ts'

/** One page of keys, newest first, with the plan of the workspace. */
export interface KeyListAnswer {
  /** The workspace of these keys; a page sends it back as `workspaceId` of its calls. */
  readonly workspaceId: string
  /** The keys of this page. */
  readonly keys: readonly WireKey[]
  /** Send it as `cursor` to get the next page; `null` on the last. */
  readonly nextCursor: string | null
  /** How many keys of the workspace are active or paused, whatever the filters. */
  readonly activeKeys: number
  /** Counting stops here: `activeKeys` or `total` of one more says that there are more. */
  readonly countedUpTo: number
  /** How many may be; `null` when the plan sets no limit. */
  readonly activeKeyLimit: number | null
  /** How many seconds a new key may live; `null` when the plan sets no limit. */
  readonly maxLifetimeSeconds: number | null
  /** The longest overlap of a rotation, in seconds. */
  readonly maxOverlapSeconds: number
  /** Whether the plan includes the public API. */
  readonly publicApi: boolean
  /** What the signed-in user may do; a page offers nothing else. */
  readonly allowedOperations: readonly KeyOperation[]
  /** What the signed-in user may give to keys; `null` for everything. */
  readonly grantable: Grantable | null
  /** On a first page without `search`: how many keys match the filters. Otherwise `null`. */
  readonly total: number | null
}

/** A new key and its secret, which is never shown again. */
export interface IssuedKeyAnswer {
  /** The new key. */
  readonly key: WireKey
  /** What the key's holder sends; it cannot be retrieved later. */
  readonly secret: string
}

/** A replacement with its secret, and the key that it replaces. */
export interface RotatedKeyAnswer extends IssuedKeyAnswer {
  /** The old key as it is now: revoked, or retiring with an overlap. */
  readonly replaced: WireKey
}

/** The keys that a call has revoked, or with `dryRun` would revoke: at most 200. */
export interface RevokedKeysAnswer {
  /** How many. */
  readonly revoked: number
  /** How many matched and had stopped or changed when they were to be revoked. */
  readonly skipped: number
  /** The keys, as they stood before. */
  readonly keys: readonly WireKey[]
  /** Whether others match; call again. */
  readonly more: boolean
}

/** One resource as people know it. */
export interface NamedResource {
  /** Its id, as keys list it. */
  readonly id: string
  /** What people call it. */
  readonly name: string
}

/** A page of resources of one type. */
export interface ResourcesAnswer {
  /** Their ids and names. */
  readonly resources: readonly NamedResource[]
  /** Send it as `cursor` to get the next page; `null` on the last. */
  readonly nextCursor: string | null
}

/** One key. */
export interface KeyAnswer {
  /** The key as it is now. */
  readonly key: WireKey
}

/** The requests of one hour. */
export interface WireUsageBucket extends OnWire<UsageBucket> {}

type UsageBucket = UsageHistory['buckets'][number]

/** The requests of a key or of all keys, by hour. */
export interface UsageAnswer {
  /** The hours, oldest first, without gaps: at most 800. */
  readonly buckets: readonly WireUsageBucket[]
}

/** A text by language tag, in at least one language. */
export interface WireLabel {
  readonly [language: string]: string
}

/** A group of scopes under one heading. */
export interface WireScopeGroup {
  /** The name of the group; not shown. */
  readonly id: string
  /** The heading. */
  readonly label: WireLabel
  /** The scopes of the group, in display order. */
  readonly scopes: readonly {
    /** The scope, as a key holds it. */
    readonly scope: string
    /** The text for people. */
    readonly label: WireLabel
    /** The text without the object that the group names. Default: `label`. */
    readonly short?: WireLabel
  }[]
}

/** The scopes that a key may have. */
export interface ScopesAnswer {
  /** The groups of the catalogue, in order. */
  readonly groups: readonly WireScopeGroup[]
  /** The types of resources that a key can be restricted in, in order. Default: none. */
  readonly resources?: readonly WireResourceType[]
  /** What every secret of the host begins with. Default: unknown. */
  readonly brand?: string
}

/** A type of resources. */
export interface WireResourceType {
  /** Its name in keys. */
  readonly type: string
  /** The text for people. */
  readonly label: WireLabel
  /** Whether `GET /resources/{type}` knows names; otherwise a page shows ids. */
  readonly isNamed: boolean
}

/** The response bodies by their names in the API description. */
export interface Answers {
  readonly KeyList: KeyListAnswer
  readonly IssuedKey: IssuedKeyAnswer
  readonly RotatedKey: RotatedKeyAnswer
  readonly KeyAnswer: KeyAnswer
  readonly RevokedKeys: RevokedKeysAnswer
  readonly Resources: ResourcesAnswer
  readonly Usage: UsageAnswer
  readonly KeyEvents: KeyEventsAnswer
  readonly Scopes: ScopesAnswer
}
