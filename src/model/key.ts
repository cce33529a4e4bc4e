/** Where a key is meant to be used: `live` is production, `test` is development. */
export type Environment = 'live' | 'test'

/** Who made a key, or who acts on one: an identifier and a display name of the host's own. */
export interface Person {
  /** 1 to 255 Unicode code points without control characters; not beginning with `miftah:`. */
  readonly id: string
  /** For display: 1 to 255 Unicode code points without control characters; never `null`. */
  readonly name: string
}

/**
 * What a key can do now. `active` and `retiring` keys authenticate; a retiring key has been replaced and
 * stops when its overlap ends. `paused` can be resumed. `expired` and `revoked` are final.
 */
export type KeyStatus = 'active' | 'retiring' | 'paused' | 'expired' | 'revoked'

/** Entries of the host about a key, by name. They never grant access. */
export type KeyMetadata = Readonly<Record<string, string>>

/** Which resources of each type a key reaches: all of them, or those with these ids. An empty list allows none. */
export type KeyResources = Readonly<Record<string, 'all' | readonly string[]>>

/** Where a key may be used from: anywhere, or these networks in CIDR notation (RFC 4632 §3.1, RFC 4291 §2.3). */
export type KeyNetworks = 'any' | readonly string[]

/** What a key's record and every view of the key have in common. */
export interface KeyDetails {
  /** Public handle: `key_` and 21 characters, not derived from the secret. */
  readonly id: string
  /** The workspace whose key it is: an identifier of the host's own. */
  readonly workspaceId: string
  /** 1 to 120 Unicode code points, trimmed and in NFC. */
  readonly name: string
  /** A note for people: 1 to 200 Unicode code points, trimmed and in NFC; `null` without one. */
  readonly note: string | null
  /** Chosen when the key is created; the secret says it too. */
  readonly environment: Environment
  /**
   * For display: the first 12 characters of the secret; of an imported key its own prefix, 1 to 12
   * characters.
   */
  readonly prefix: string
  /** Who created the key; a replacement keeps the creator of the key that it replaces. */
  readonly creator: Person
  /** Where the key may be used from. */
  readonly networks: KeyNetworks
  /** The id of the key that this one replaced by rotation, or `null`. */
  readonly replaces: string | null
  /** The id of the key that replaced this one by rotation, or `null`. */
  readonly replacedBy: string | null
  /** 1 for a new key, and 1 more with every change of the key. Uses do not count. */
  readonly version: number
  /** Who paused the key, or `null`. It stays when a paused key expires or is revoked. */
  readonly pausedBy: Person | null
  /** The id of the format, for a key that another system issued; `null` for a key of miftah's own. */
  readonly format: string | null
  /** Entries of the host: up to 20. */
  readonly metadata: KeyMetadata
}

/** A key as `authenticate` returns it: an {@link ApiKey} without its usage, which would be stale. */
export interface AuthenticatedKey<S extends string = string> extends KeyDetails {
  /** What the key may do. In catalogue order, without repeats. */
  readonly scopes: readonly S[]
  /**
   * Which resources the key reaches: every type of `createApiKeys({ resources })`, and any other type in
   * which the key was restricted.
   */
  readonly resources: KeyResources
  /** When the key was created or issued by rotation. The `Date` objects of a key are immutable. */
  readonly createdAt: Date
  /** When the key last changed: at first, when it was created. */
  readonly updatedAt: Date
  /** What the key could do when it was read. */
  readonly status: KeyStatus
  /** When the key expires or expired; `null` for a key that does not. */
  readonly expiresAt: Date | null
  /** When the key was paused, or `null`. It stays when a paused key expires or is revoked. */
  readonly pausedAt: Date | null
  /** When the overlap after a rotation ends or ended; `null` for a key that was given none. */
  readonly retiresAt: Date | null
  /** When the key stopped for good by revocation, rotation or the end of its overlap, or `null`. */
  readonly revokedAt: Date | null
}

/** A key as it is safe to show: everything about it but the secret and its hash. */
export interface ApiKey<S extends string = string> extends AuthenticatedKey<S> {
  /** The latest use that has been flushed, or `null` before the first. */
  readonly lastUsedAt: Date | null
  /** How many successful authentications have been flushed. */
  readonly uses: number
  /** Whether the key is within the `grantable` of the call that answers it; `true` without one. */
  readonly withinGrant: boolean
}
