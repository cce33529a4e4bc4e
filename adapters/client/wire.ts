import type { ApiKey, Environment, KeyStatus } from '../../src/index.ts'

/** What JSON makes of a value: instants become ISO 8601 strings in UTC, as RFC 3339 has them. */
export type OnWire<T> = {
  readonly [Field in keyof T]: T[Field] extends Date
    ? string
    : T[Field] extends Date | null
      ? string | null
      : T[Field]
}

/** A key as the management routes send it. */
export type WireKey = OnWire<ApiKey>

/** Which keys to list, and from where. */
export interface ListQuery {
  /** Only keys that are active, or only revoked ones. Default: both. */
  readonly status?: KeyStatus
  /** Only keys for this environment. Default: both. */
  readonly environment?: Environment
  /** `nextCursor` of the page before; none for the first page. */
  readonly cursor?: string
  /** How many keys at most: 1 to 200, default 50. */
  readonly limit?: number
}

/** One page of keys, newest first, with the plan of the workspace. */
export interface KeyListAnswer {
  /** Whose keys these are: what a page carries back as `workspaceId` of its calls. */
  readonly workspaceId: string
  /** The keys of this page. */
  readonly keys: readonly WireKey[]
  /** Give it as `cursor` to get the next page; `null` on the last. */
  readonly nextCursor: string | null
  /** How many keys of the workspace are active, whatever the filters. */
  readonly activeKeys: number
  /** How many may be; `null` when the plan sets no limit. */
  readonly activeKeyLimit: number | null
  /** Whether the plan includes the public API. */
  readonly publicApi: boolean
}

/** What a new key is made of. */
export interface CreateKeyBody {
  /** 1 to 120 Unicode code points after trimming. */
  readonly name: string
  /** Where the key is meant to be used. */
  readonly environment: Environment
  /** At least one scope of the catalogue, none twice. */
  readonly scopes: readonly string[]
}

/** A new key and the only sight of its secret. */
export interface IssuedKeyAnswer {
  /** The new key. */
  readonly key: WireKey
  /** What the key's holder sends; it cannot be had again. */
  readonly secret: string
}

/** A replacement, the only sight of its secret, and the key that stopped working. */
export interface RotatedKeyAnswer extends IssuedKeyAnswer {
  /** The old key as it stands now: revoked. */
  readonly replaced: WireKey
}

/** A text per language; English is always there. */
export interface WireLabel {
  /** The English text, shown where a language has none. */
  readonly en: string
  readonly [language: string]: string
}

/** A group of scopes under one heading. */
export interface WireScopeGroup {
  /** A name for the group that is not shown. */
  readonly id: string
  /** The heading. */
  readonly label: WireLabel
  /** The scopes of the group, in the order of the screen. */
  readonly scopes: readonly {
    /** The code, as a key holds it. */
    readonly scope: string
    /** What people read. */
    readonly label: WireLabel
  }[]
}

/** The scopes that a key may carry. */
export interface ScopesAnswer {
  /** The groups of the catalogue, in order. */
  readonly groups: readonly WireScopeGroup[]
}

/** One thing wrong with one field of a request. */
export interface WireIssue {
  /** The field, and the way into it; empty for the whole request. */
  readonly path: readonly (string | number)[]
  /** What is wrong; stable. One of `InputIssueCode` in `miftah`. */
  readonly code: string
  /** The rest of an English sentence about the field. */
  readonly message: string
}
