import type { WireScopeGroup } from '../../client/index.ts'
import { drawable } from '../format/text.ts'
import type { Tab } from '../state/tab.ts'
import { folded } from './folded.ts'

/** A group of scopes in words, with those of its scopes that the search leaves. */
export interface ShownGroup {
  readonly id: string
  readonly label: string
  /** How many scopes it has, shown or not. */
  readonly size: number
  readonly rows: readonly { readonly scope: string; readonly label: string }[]
}

/** What the search leaves of the groups. */
export function shownGroups(
  { locale }: Tab,
  groups: readonly WireScopeGroup[],
  search: string,
): readonly ShownGroup[] {
  const wanted = folded(search.trim())
  const shown = ({ id, scopes, ...group }: WireScopeGroup): ShownGroup => {
    const label = drawable(locale.label(group.label))
    const rows = scopes
      .map((one) => ({ scope: one.scope, label: drawable(locale.label(one.label)) }))
      .filter((one) => folded(`${label} ${one.label} ${one.scope}`).includes(wanted))
    return { id, label, size: scopes.length, rows }
  }
  return groups.map(shown).filter(({ rows }) => rows.length > 0)
}

/** The scopes that can be seen now. */
export function scopesIn(groups: readonly ShownGroup[]): readonly string[] {
  return groups.flatMap(({ rows }) => rows.map(({ scope }) => scope))
}
