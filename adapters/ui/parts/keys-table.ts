import { repeat } from 'lit/directives/repeat.js'
import { html, nothing, type TemplateResult } from 'lit/html.js'
import { drawable } from '../format/text.ts'
import type { ListFilter } from '../state/list-view.ts'
import type { ListedKey } from '../state/listed-key.ts'
import type { Tab } from '../state/tab.ts'
import { listRow } from './key-row.ts'
import { retryButton } from './panels.ts'

const columns = ['col.name', 'col.key', 'col.type', 'col.last', 'col.uses', 'col.status'] as const

const filters: readonly ListFilter[] = ['all', 'active', 'revoked']

/** The keys as a table, with search and filter for a long one, and Show more. */
export function keysTable(tab: Tab): TemplateResult {
  const { locale, view } = tab
  const { rows } = view
  return html`
    ${view.searchable ? toolbar(tab) : nothing}
    ${rows.length === 0 ? noMatch(tab) : table(tab, rows)}
    ${
      rows.length > 0 && view.hasMore
        ? html`<div class="center">
            <button type="button" data-act="more" @click=${() => view.more()}>${locale.text('more')}</button>
          </div>`
        : nothing
    }
  `
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

function toolbar({ locale, view }: Tab): TemplateResult {
  return html`
    <div class="toolbar">
      <div class="filter" role="group" aria-label=${locale.text('filter.label')}>
        ${filters.map(
          (filter) => html`<button
            type="button"
            data-filter=${filter}
            aria-pressed=${view.filter === filter ? 'true' : 'false'}
            @click=${() => view.look({ filter })}
          >
            ${locale.text(`filter.${filter}`)}
          </button>`,
        )}
      </div>
      <label class="search">
        <span class="muted small">${locale.text('search.label')}</span>
        <input
          id="search"
          type="search"
          dir="auto"
          autocomplete="off"
          .value=${view.search}
          @input=${(event: Event) => event.target instanceof HTMLInputElement && view.look({ search: event.target.value })}
        />
      </label>
    </div>
  `
}

// Of keys that are not loaded yet nobody can say that none matches.
function noMatch(tab: Tab): TemplateResult {
  const { locale, list, view } = tab
  if (view.incomplete) {
    return list.stale
      ? html`<div class="panel slim"><p>${locale.text('err.title')}</p>${retryButton(tab)}</div>`
      : html`<div class="panel slim"><p>${locale.text('loading')}</p></div>`
  }
  const wanted = view.search.trim()
  return html`
    <div class="panel slim">
      <p>${wanted ? locale.rich('search.none', { q: drawable(wanted) }) : locale.text('filter.none')}</p>
      <button type="button" data-act="clear-search" @click=${() => view.clear()}>
        ${locale.text(wanted ? 'search.clear' : 'filter.clear')}
      </button>
    </div>
  `
}
