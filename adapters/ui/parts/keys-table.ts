import { html, nothing, type TemplateResult } from 'lit'
import { repeat } from 'lit/directives/repeat.js'
import type { ListedKey } from '../state/listed-key.ts'
import type { Tab } from '../state/tab.ts'
import { listRow } from './key-row.ts'

const columns = ['col.name', 'col.key', 'col.type', 'col.last', 'col.uses', 'col.status'] as const

/** The keys as a table, with search and filter for a long one, and Show more. */
export function keysTable(tab: Tab): TemplateResult {
  const { lazy, view } = tab
  const { parts } = lazy
  const { rows } = view
  return html`
    ${view.searchable ? html`<div class="toolbar">${parts?.toolbar(tab) ?? nothing}</div>` : nothing}
    ${parts?.chosenBar(tab) ?? nothing}
    ${rows.length === 0 ? (parts?.noMatch(tab) ?? nothing) : table(tab, rows)}
    ${rows.length > 0 && view.hasMore ? moreButton(tab) : nothing}
  `
}

function moreButton({ list, locale, view }: Tab): TemplateResult {
  return html`<div class="center">
    ${list.short ? html`<p class="muted" data-note="short">${locale.text('more.failed')}</p>` : nothing}
    <button type="button" data-act="more" aria-busy=${view.busy ? 'true' : nothing} @click=${() => view.more()}>
      ${locale.text(list.short ? 'err.retry' : 'more')}
    </button>
  </div>`
}

// The roles are spelt out because Safari drops those of table elements that are laid out as blocks.
function table(tab: Tab, keys: readonly ListedKey[]): TemplateResult {
  const { locale } = tab
  return html`
    <table part="table" role="table">
      <caption class="sr">${locale.text('table.caption')}</caption>
      <thead role="rowgroup">
        <tr role="row">
          ${columns.map(
            (id) =>
              html`<th role="columnheader" scope="col" class=${id === 'col.uses' ? 'number' : ''}>${locale.text(id)}</th>`,
          )}
          ${
            tab.settings.readonly
              ? nothing
              : html`<th role="columnheader" scope="col"><span class="sr">${locale.text('col.actions')}</span></th>`
          }
        </tr>
      </thead>
      <tbody role="rowgroup">
        ${repeat(
          keys,
          ({ id }) => id,
          (key) => listRow(tab, key),
        )}
      </tbody>
    </table>
  `
}
