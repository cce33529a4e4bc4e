import type { ApiKey, Environment, KeyStatus } from '../../src/index.ts'

/** What JSON makes of a value: instants become ISO 8601 UTC strings. */
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
  readonly status?: KeyStatus
  readonly environment?: Environment
  /** `nextCursor` of the page before. */
  readonly cursor?: string
  /** How many keys at most: 50 unless told, never above 200. */
  readonly limit?: number
}

/** One page of keys, newest first, with the plan of the workspace. */
export interface KeyListAnswer {
  readonly keys: readonly WireKey[]
  readonly nextCursor: string | null
  readonly activeKeys: number
  /** `null` when the plan sets no limit. */
  readonly activeKeyLimit: number | null
  readonly publicApi: boolean
}

/** What a new key is made of. */
export interface CreateKeyBody {
  readonly name: string
  readonly environment: Environment
  readonly scopes: readonly string[]
}

/** A new key and the only sight of its secret. */
export interface IssuedKeyAnswer {
  readonly key: WireKey
  readonly secret: string
}

/** A replacement, the only sight of its secret, and the key that stopped working. */
export interface RotatedKeyAnswer extends IssuedKeyAnswer {
  readonly replaced: WireKey
}

/** A text per language; English is always there. */
export interface WireLabel {
  readonly en: string
  readonly [language: string]: string
}

/** A group of scopes under one heading. */
export interface WireScopeGroup {
  readonly id: string
  readonly label: WireLabel
  readonly scopes: readonly { readonly scope: string; readonly label: WireLabel }[]
}

/** The scopes that a key may carry. */
export interface ScopesAnswer {
  readonly groups: readonly WireScopeGroup[]
}

/** One thing wrong with one field of a request. */
export interface WireIssue {
  /** The field, and the way into it. */
  readonly path: readonly (string | number)[]
  readonly code: string
  readonly message: string
}
