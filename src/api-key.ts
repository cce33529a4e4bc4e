/** Where a key is meant to be used: `live` is production, `test` is development. */
export type Environment = 'live' | 'test'

/** Who made a key, or who acts on one: an identifier and a display name of the host's own. */
export interface Person {
  readonly id: string
  readonly name: string
}

/** Whether a key still authenticates. Derived from `revokedAt`; nothing leaves `revoked`. */
export type KeyStatus = 'active' | 'revoked'

/**
 * A key as it is safe to show: everything about it but the secret and its hash.
 *
 * @example
 * ```ts
 * import type { ApiKey } from 'miftah'
 *
 * const label = (key: ApiKey) => `${key.name} (${key.prefix}…)`
 * ```
 */
export interface ApiKey<S extends string = string> {
  /** Public handle: `key_` and 21 characters, not derived from the secret. */
  readonly id: string
  readonly workspaceId: string
  /** 1 to 120 Unicode code points, trimmed and in NFC. */
  readonly name: string
  readonly environment: Environment
  /** In catalogue order, without repeats. */
  readonly scopes: readonly S[]
  /** The first 12 characters of the secret, for display. */
  readonly prefix: string
  readonly creator: Person
  readonly createdAt: Date
  /** The latest use that has been flushed, or `null` before the first. */
  readonly lastUsedAt: Date | null
  /** How many successful authentications have been flushed. */
  readonly uses: number
  readonly status: KeyStatus
  readonly revokedAt: Date | null
  /** The key that this one replaced by rotation. */
  readonly replaces: string | null
  /** The key that replaced this one by rotation. */
  readonly replacedBy: string | null
}
