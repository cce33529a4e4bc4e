import type { Grantable } from '../../../src/model/grant.ts'
import { ManagementError } from '../../client/index.ts'
import { fieldsOf, isText } from '../state/fields.ts'
import type { Tab } from '../state/tab.ts'
import type { Resources } from './resources.ts'

/** What the user may give to keys; `null` for everything. */
export type Grant = Grantable | null

/** The ids of a type that may be given, or `'all'` of it. */
export function givable(grant: Grant, type: string): 'all' | readonly string[] {
  if (grant === null || grant.resources === 'all') return 'all'
  return grant.resources[type] ?? []
}

/** What a `not_grantable` answer says is too much, in the words of the dialogs. */
export function beyondWords(tab: Tab, resources: Resources, error: unknown): string {
  if (!(error instanceof ManagementError)) return ''
  const { catalogue, locale } = tab
  const { scopes, resources: ids, networks, environments } = fieldsOf(error.missing)
  const words = [
    ...textsIn(scopes).map((scope) => locale.label(catalogue.labelOf(scope) ?? {}) || scope),
    ...Object.entries(fieldsOf(ids)).flatMap(([type, given]) =>
      given === 'all'
        ? [locale.text('res.all', { type: resources.labelOf(type) })]
        : textsIn(given).map((id) => resources.nameOf(type, id)),
    ),
    ...(networks === 'any' ? [locale.text('net.any')] : textsIn(networks)),
    ...textsIn(environments).map((one) =>
      one === 'live' || one === 'test' ? locale.text(`create.env.${one}`) : one,
    ),
  ]
  // The sentence isolates the whole of it.
  return words.join(locale.text('list.comma')).replace(/[\u2068\u2069]/g, '')
}

function textsIn(list: unknown): readonly string[] {
  return Array.isArray(list) ? list.filter(isText) : []
}
