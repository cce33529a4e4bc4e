import type { WireResourceType, WireScopeGroup } from '../../client/index.ts'

/** The scopes that a key may carry and the resources it may reach, as the server gave them. */
export interface Catalogue {
  readonly groups: readonly WireScopeGroup[] | null
  readonly types: readonly WireResourceType[]
  /** What the secrets of the host begin with; `''` while nobody has said so. */
  readonly brand: string
  readonly failed: boolean
}

/** What is known before the server has answered, or when it has failed. */
export const noCatalogue: Catalogue = { groups: null, types: [], brand: '', failed: false }

export function scopesOf({ groups }: Pick<Catalogue, 'groups'>): readonly string[] {
  return (groups ?? []).flatMap(({ scopes }) => scopes.map(({ scope }) => scope))
}

export function labelOf({ groups }: Catalogue, scope: string): Readonly<Record<string, string>> {
  return groups?.flatMap(({ scopes }) => scopes).find((one) => one.scope === scope)?.label ?? {}
}
