import type { KeyDetails } from './key.ts'

/**
 * What decides about a key: plain data, instants in milliseconds since the epoch (UTC). It changes only when
 * somebody changes the key. It carries the hash of the secret and never the secret.
 */
export interface KeyRecord extends KeyDetails {
  /**
   * SHA-256 of the whole secret, or of the format and digest of an imported key: 64 lower-case hex digits,
   * unique in the storage.
   */
  readonly hash: string
  /** What the key may do, in catalogue order. */
  readonly scopes: readonly string[]
  /** The ids that the key reaches, for each type of resource in which it is restricted. */
  readonly resources: ResourceIds
  /** When it was made. */
  readonly createdAtMs: number
  /** When it last changed; a new key has `createdAtMs` here, an imported one the instant of its import. */
  readonly updatedAtMs: number
  /** When it expires; `null` for never. */
  readonly expiresAtMs: number | null
  /** When it was paused, or `null`. It stays when a paused key expires or is revoked. */
  readonly pausedAtMs: number | null
  /**
   * When it stops after a rotation with overlap; `null` without one. Never after `expiresAtMs`, and once it
   * is set it never moves later.
   */
  readonly retiresAtMs: number | null
  /** When it was revoked, or rotated without overlap; `null` until then. */
  readonly revokedAtMs: number | null
  /**
   * When the audit log next says something about the end of the key; `null` for nothing. It belongs to the
   * writer of notices: no view shows it, and a change of it alone is none of the key.
   */
  readonly noticeAtMs: number | null
}

/** Ids of resources by their type. A type that is not named is not restricted; an empty list allows no resource. */
export type ResourceIds = Readonly<Record<string, readonly string[]>>

/** How often a key was used. Only `addUses` writes it; a new key has no uses. */
export interface KeyUsage {
  /** How many uses were stored. */
  readonly uses: number
  /** The latest use that was stored, or `null` before the first. */
  readonly lastUsedAtMs: number | null
}
