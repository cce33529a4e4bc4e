import { html, nothing } from 'lit'
import type { WireKey } from '../../client/index.ts'
import type { Tab } from '../state/tab.ts'

/** Somebody who revokes a leaked replacement may not know that the key before it goes on working. */
export function former({ list, locale }: Tab, { replaces }: WireKey) {
  const before = list.find(replaces)
  if (before?.status !== 'retiring' || before.retiresAt === null) return nothing
  const date = locale.dates.moment(before.retiresAt)
  return html`<p data-note="former">${locale.rich('rev.former', { name: before.name, date })}</p>`
}
