import type { WireResourceType, WireScopeGroup } from '../../client/index.ts'

/** The scopes that a key may carry and the resources it may reach, as the server gave them. */
export interface Catalogue {
  /** `null` until the server has said it. */
  readonly groups: readonly WireScopeGroup[] | null
  /** The types of resources that a key can be restricted in. */
  readonly types: readonly WireResourceType[]
  /** What the secrets of the host begin with; `''` while nobody has said so. */
  readonly brand: string
  readonly failed: boolean
}

/** What is known before the server has answered, or when it has failed. */
export function noCatalogue(failed = false): Catalogue {
  return { groups: null, types: [], brand: '', failed }
}

/** Every scope, in the order of the catalogue. */
export function scopesOf({ groups }: Pick<Catalogue, 'groups'>): readonly string[] {
  return (groups ?? []).flatMap(({ scopes }) => scopes.map(({ scope }) => scope))
}

/** The label of a scope in every language, when it is in the catalogue. */
export function labelOf({ groups }: Catalogue, scope: string): Readonly<Record<string, string>> {
  return groups?.flatMap(({ scopes }) => scopes).find((one) => one.scope === scope)?.label ?? {}
}
