import { html, nothing, type TemplateResult } from 'lit'
import { drawable } from '../format/text.ts'
import { retryButton } from '../parts/panels.ts'
import { unusedDays } from '../state/listed-key.ts'
import type { Tab } from '../state/tab.ts'
import type { ListFilter, ListSearch } from './list-search.ts'

const filters: readonly ListFilter[] = ['all', 'active', 'unused', 'revoked']

/** The filters and the search above a long list. */
export function toolbar({ locale }: Tab, search: ListSearch): TemplateResult {
  const { creators } = search
  return html`
    <div class="filter" role="group" aria-label=${locale.text('filter.label')}>
      ${filters.map(
        (filter) => html`<button
          type="button"
          data-filter=${filter}
          aria-pressed=${search.filter === filter ? 'true' : 'false'}
          @click=${() => search.look({ filter })}
        >
          <span>${locale.rich(`filter.${filter}`, { n: unusedDays })}</span>
        </button>`,
      )}
    </div>
    <label class="search ${creators.length > 1 ? 'beside' : ''}">
      <span class="muted small">${locale.text('search.label')}</span>
      <input
        id="search"
        type="search"
        dir=${search.search ? 'auto' : locale.settings.dir}
        autocomplete="off"
        .value=${search.search}
        @input=${(event: Event) => event.target instanceof HTMLInputElement && search.look({ search: event.target.value })}
      />
    </label>
    ${creators.length > 1 ? creatorFilter(locale, search) : nothing}
  `
}

/** Shows the keys of one person. */
function creatorFilter(locale: Tab['locale'], search: ListSearch): TemplateResult {
  const { creator, creators } = search
  const choose = ({ target }: Event) =>
    target instanceof HTMLSelectElement &&
    search.look({ creator: creators.find(({ id }) => id === target.value) ?? null })
  return html`<select
      id="creators"
      aria-label=${locale.text('detail.creator')}
      @change=${choose}
    >
      <option value="" .selected=${creator === null}>${locale.text('filter.anybody')}</option>
      ${creators.map(
        ({ id, name }) =>
          html`<option value=${id} .selected=${creator?.id === id}>${drawable(name)}</option>`,
      )}
    </select>`
}

/** Says that no key matches, or, until all keys are loaded, that they are loading. */
export function noMatch(tab: Tab, search: ListSearch): TemplateResult {
  const { locale, list } = tab
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
