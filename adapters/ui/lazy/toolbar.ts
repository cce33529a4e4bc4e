import { html, nothing, type TemplateResult } from 'lit'
import { drawable } from '../format/text.ts'
import { typed } from '../parts/controls.ts'
import { icons } from '../parts/icons.ts'
import { retryButton } from '../parts/panels.ts'
import type { Tab } from '../state/tab.ts'
import { filters, type ListFilter } from './list-search.ts'

/** The search above a long list, and the choice of keys. */
export function toolbar(tab: Tab): TemplateResult {
  const { locale } = tab
  const { search } = tab.parts
  const choose = typed((filter) => search.look({ filter: filter as ListFilter }))
  return html`
    <label class="search">
      ${icons.search}
      <input
        id="search"
        part="search"
        type="search"
        aria-label=${locale.text('search.label')}
        placeholder=${locale.text('search.hint')}
        dir=${search.search ? 'auto' : locale.settings.dir}
        autocomplete="off"
        .value=${search.search}
        @input=${typed((text) => search.look({ search: text }))}
      />
    </label>
    <select id="filter" part="filter" aria-label=${locale.text('filter.label')} @change=${choose}>
      ${filters.map((one) => html`<option value=${one} .selected=${one === search.filter}>${locale.text(`filter.${one}`)}</option>`)}
    </select>
    ${total(tab)}
  `
}

/** How many keys are shown of how many, where more are there. */
function total({ list, locale, view }: Tab): TemplateResult | typeof nothing {
  const { length: n } = view.rows
  if (list.total === null || list.total <= n) return nothing
  return html`<p class="muted small total" data-note="total">${locale.rich('list.total', { n, total: locale.number(list.total) })}</p>`
}

/** Says that no key matches, or, until all keys are loaded, that they are loading. */
export function noMatch(tab: Tab): TemplateResult {
  const { locale, list } = tab
  const { search } = tab.parts
  if (!search.settled) {
    return list.stale
      ? html`<div class="panel slim"><p>${locale.text('err.title')}</p>${retryButton(tab)}</div>`
      : html`<div class="panel slim"><p>${locale.text('loading')}</p></div>`
  }
  const wanted = search.search.trim()
  return html`
    <div class="panel slim">
      <p>${wanted ? locale.rich('search.none', { q: drawable(wanted) }) : locale.text('filter.none')}</p>
      <button type="button" data-act="clear-search" @click=${() => search.clear()}>
        ${locale.text(wanted ? 'search.clear' : 'filter.clear')}
      </button>
    </div>
  `
}
