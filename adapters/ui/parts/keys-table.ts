import { repeat } from 'lit/directives/repeat.js'
import { html, nothing, type TemplateResult } from 'lit/html.js'
import { drawable } from '../format/text.ts'
import { isReadable, type ListedKey } from '../state/listed-key.ts'
import type { ListFilter, Tab } from '../state/tab.ts'
import { listRow } from './key-row.ts'

/** From so many keys on, the list can be searched and filtered. */
const searchableFrom = 8

const columns = ['col.name', 'col.key', 'col.type', 'col.last', 'col.uses', 'col.status'] as const

/** The keys as a table, with search and filter for a long one, and Show more. */
export function keysTable(tab: Tab): TemplateResult {
  const shown = shownKeys(tab)
  const { locale, list } = tab
  return html`
    ${list.keys.length >= searchableFrom ? toolbar(tab) : nothing}
    ${shown.length === 0 ? noMatch(tab) : table(tab, shown)}
    ${
      list.nextCursor === null
        ? nothing
        : html`<div class="center">
            <button type="button" data-act="more" @click=${() => list.more()}>${locale.text('more')}</button>
          </div>`
    }
  `
}

/** The loaded keys that match what is looked for. */
export function shownKeys({ list, view }: Tab): readonly ListedKey[] {
  if (list.keys.length < searchableFrom) return list.keys
  const wanted = view.search.trim().toLowerCase()
  return list.keys.filter((key) =>
    isReadable(key)
      ? (view.filter === 'all' || key.status === view.filter) &&
        `${key.name} ${key.prefix}`.toLowerCase().includes(wanted)
      : view.filter === 'all' && key.id.toLowerCase().includes(wanted),
  )
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

function toolbar(tab: Tab): TemplateResult {
  const { locale, view } = tab
  const filters: readonly ListFilter[] = ['all', 'active', 'revoked']
  return html`
    <div class="toolbar">
      <div class="filter" role="group" aria-label=${locale.text('filter.label')}>
        ${filters.map(
          (filter) => html`<button
            type="button"
            data-filter=${filter}
            aria-pressed=${view.filter === filter ? 'true' : 'false'}
            @click=${() => tab.look({ filter })}
          >
            ${locale.text(`filter.${filter}`)}
          </button>`,
        )}
      </div>
      <label class="search">
        <span class="muted small">${locale.text('search.label')}</span>
        <input
          type="search"
          dir="auto"
          autocomplete="off"
          .value=${view.search}
          @input=${(event: Event) => event.target instanceof HTMLInputElement && tab.look({ search: event.target.value })}
        />
      </label>
    </div>
  `
}

function noMatch(tab: Tab): TemplateResult {
  const { locale, view } = tab
  return html`
    <div class="panel slim">
      <p>${view.search ? locale.rich('search.none', { q: drawable(view.search) }) : locale.text('count.keys', { n: 0 })}</p>
      <button type="button" @click=${() => tab.look({ search: '', filter: 'all' })}>
        ${locale.text('search.clear')}
      </button>
    </div>
  `
}
