import { folded } from '../../../src/model/folded.ts'
import type { WireScopeGroup } from '../../client/index.ts'
import { drawable } from '../format/text.ts'
import type { Tab } from '../state/tab.ts'
import type { DraftForm } from './draft-form.ts'

/** A group of scopes in words, with those of its scopes that the search leaves. */
export interface ShownGroup {
  readonly id: string
  readonly label: string
  /** How many scopes it has, shown or not. */
  readonly size: number
  readonly rows: readonly { readonly scope: string; readonly label: string }[]
}

/** What the search of a form leaves of the groups. */
export function shownGroups(tab: Tab, form: DraftForm): readonly ShownGroup[] {
  const { locale } = tab
  const wanted = folded(form.scopeSearch.trim())
  const shown = ({ id, scopes, ...group }: WireScopeGroup): ShownGroup => {
    const label = drawable(locale.label(group.label))
    const rows = scopes
      .map((one) => ({ scope: one.scope, label: drawable(locale.label(one.label)) }))
      .filter((one) => folded(`${label} ${one.label} ${one.scope}`).includes(wanted))
    return { id, label, size: scopes.length, rows }
  }
  const groups = [...(tab.catalogue.groups ?? []), ...others(tab, form)]
  return groups.map(shown).filter(({ rows }) => rows.length > 0)
}

/** What the key may do beyond the catalogue: it is seen, and no other change takes it away. */
function others({ locale }: Tab, form: DraftForm): readonly WireScopeGroup[] {
  const scopes = form.others.map((scope) => ({ scope, label: {} }))
  const label = { [locale.settings.lang]: locale.text('create.scopes.others') }
  return scopes.length > 0 ? [{ id: '', label, scopes }] : []
}

/** The scopes that can be seen now. */
export function scopesIn(groups: readonly ShownGroup[]): readonly string[] {
  return groups.flatMap(({ rows }) => rows.map(({ scope }) => scope))
}
