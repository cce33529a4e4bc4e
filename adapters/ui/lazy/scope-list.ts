import { html, type TemplateResult } from 'lit'
import type { WireKey } from '../../client/index.ts'
import { drawable } from '../format/text.ts'
import { code } from '../parts/controls.ts'
import { scopesOf } from '../state/scope-catalogue.ts'
import type { Tab } from '../state/tab.ts'

/** So many scopes are read at a glance; more are folded by their groups. */
const glance = 12

/** The scopes of a key in words. */
export function scopeList({ catalogue, locale }: Tab, { scopes }: WireKey): TemplateResult {
  const line = (scope: string) => html`<li>
    ${locale.label(catalogue.labelOf(scope) ?? {})} ${code(scope)}
  </li>`
  const groups = (scopes.length > glance ? (catalogue.groups ?? []) : [])
    .map((group) => ({
      label: drawable(locale.label(group.label)),
      held: scopesOf(group).filter((scope) => scopes.includes(scope)),
    }))
    .filter(({ held }) => held.length > 0)
  const others = scopes.filter((scope) => !groups.some(({ held }) => held.includes(scope)))
  return html`<ul>
    ${groups.map(
      ({ label, held }) => html`<li>
        <details>
          <summary class="fold">${label} (${locale.number(held.length)})</summary>
          <ul>${held.map(line)}</ul>
        </details>
      </li>`,
    )}
    ${others.map(line)}
  </ul>`
}
