import type { Environment, KeyNetworks, KeyResources } from './key.ts'

/**
 * What somebody may give to keys. A key that they make live or that they widen must be within all four
 * dimensions afterwards. Each is required, so that none is forgotten.
 */
export interface Grantable<S extends string = string> {
  /** The scopes that they may give. */
  readonly scopes: readonly S[]
  /** The ids of each type that they may give, or `'all'` of it; `'all'` for every type. */
  readonly resources: KeyResources | 'all'
  /** The networks in which a key must stay; `'any'` for no limit. */
  readonly networks: KeyNetworks
  /** The environments for which they may make keys. */
  readonly environments: readonly Environment[]
}

/** What of a key exceeds a grant: the dimensions that do, and in each what is too much. */
export interface MissingGrant {
  /** The scopes that may not be given. */
  readonly scopes?: readonly string[]
  /** The ids of each type that may not be given; `'all'` where the key is not restricted in a type. */
  readonly resources?: KeyResources
  /** The networks of the key, where they are not within those that may be given. */
  readonly networks?: KeyNetworks
  /** The environment that may not be given. */
  readonly environments?: readonly Environment[]
}
