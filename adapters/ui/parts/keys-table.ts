import { html, nothing, type TemplateResult } from 'lit'
import { repeat } from 'lit/directives/repeat.js'
import { hasEnded, isReadable, type ListedKey } from '../state/listed-key.ts'
import type { Tab } from '../state/tab.ts'
import { flag } from './controls.ts'
import { listRow } from './key-row.ts'

const heads = ['name', 'key', 'type', 'last', 'uses', 'status'] as const

/** The keys as a table, with search and filter for a long one, and Show more. */
export function keysTable(tab: Tab): TemplateResult {
  const { view } = tab
  const { file } = tab.lazy
  const { rows } = view
  return html`
    ${view.searchable ? html`<div part="toolbar" class="row toolbar">${file?.toolbar(tab)}</div>` : nothing}
    ${rows.length === 0 ? file?.noMatch(tab) : table(tab, rows)}
    ${rows.length > 0 && view.hasMore ? moreButton(tab) : nothing}
  `
}

function moreButton({ list, locale, view }: Tab): TemplateResult {
  return html`<div class="center">
    ${list.short ? html`<p class="muted" data-note="short">${locale.text('more.failed')}</p>` : nothing}
    <button type="button" data-act="more" aria-busy=${flag(view.busy)} @click=${() => view.more()}>
      ${locale.text(list.short ? 'err.retry' : 'more')}
    </button>
  </div>`
}

// The roles are spelt out because Safari drops those of table elements that are laid out as blocks.
function table(tab: Tab, keys: readonly ListedKey[]): TemplateResult {
  const { locale, view } = tab
  const live = keys.filter((key) => !isEnded(key))
  const ended = keys.filter(isEnded)
  const head = live.length > 0 && ended.length > 0
  return html`
    <table part="table" role="table">
      <caption class="sr">${locale.text('table.caption')}</caption>
      <thead role="rowgroup">
        <tr role="row">
          ${heads.map((column) => html`<th role="columnheader" scope="col" part="column-head" class=${column === 'uses' ? 'number' : nothing}>${locale.text(`col.${column}`)}</th>`)}
          ${
            tab.settings.readonly
              ? nothing
              : html`<th role="columnheader" scope="col" part="column-head"><span class="sr">${locale.text('col.actions')}</span></th>`
          }
        </tr>
      </thead>
      <tbody role="rowgroup">
        ${rowsOf(tab, live)} ${head ? endedHead(tab) : nothing}
        ${head && view.foldsEnded ? nothing : rowsOf(tab, ended)}
      </tbody>
    </table>
  `
}

function rowsOf(tab: Tab, keys: readonly ListedKey[]): unknown {
  return repeat(
    keys,
    ({ id }) => id,
    (key) => listRow(tab, key),
  )
}

/** Stands above the keys that no longer work, and folds them. */
function endedHead({ locale, view }: Tab): TemplateResult {
  const n = view.matches.filter(isEnded).length
  return html`<tr role="row" class="group">
    <th role="rowheader" scope="rowgroup" colspan="7">
      <button
        id="ended"
        class="fold"
        type="button"
        aria-expanded=${view.foldsEnded ? 'false' : 'true'}
        @click=${() => view.foldEnded()}
      >${locale.rich('list.ended', { n })}</button>
    </th>
  </tr>`
}

function isEnded(key: ListedKey): boolean {
  return isReadable(key) && hasEnded(key)
}
