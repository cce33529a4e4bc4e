import { html, nothing, type TemplateResult } from 'lit'
import { drawable } from '../format/text.ts'
import { typed } from '../parts/controls.ts'
import { icons } from '../parts/icons.ts'
import { retryButton } from '../parts/panels.ts'
import type { Tab } from '../state/tab.ts'
import type { ListFilter } from './list-search.ts'

const filters: readonly ListFilter[] = ['all', 'active', 'unused', 'revoked']

/** The search and the filters above a long list. */
export function toolbar(tab: Tab): TemplateResult {
  const { locale, settings } = tab
  const { search } = tab.parts
  const time = locale.dates.days(settings.unusedDays)
  return html`
    <label class="search">
      <slot name="icon-search">${icons.search}</slot>
      <input
        id="search"
        part="search"
        type="search"
        aria-label=${locale.text('search.label')}
        placeholder=${locale.text('search.hint')}
        dir=${search.search ? 'auto' : locale.settings.dir}
        autocomplete="off"
        .value=${search.search}
        @focus=${() => search.prepare()}
        @input=${typed((text) => search.look({ search: text }))}
      />
    </label>
    <button
      id="further"
      type="button"
      aria-expanded=${search.open}
      aria-controls="filters"
      @click=${() => search.fold()}
    >
      <slot name="icon-filter">${icons.filter}</slot><span>${locale.text('filter.more')}</span>${search.further > 0 ? html`<bdi class="tally">${locale.number(search.further)}</bdi>` : nothing}
    </button>
    <div part="filters" class="filter ${search.open ? '' : 'folded'}" role="group" aria-label=${locale.text('filter.label')}>
      ${filters.map(
        (filter) => html`<button
          type="button"
          data-filter=${filter}
          aria-pressed=${search.filter === filter}
          @click=${() => search.look({ filter })}
        >
          <span>${locale.rich(`filter.${filter}`, { time })}</span>
        </button>`,
      )}
    </div>
    ${search.open ? furtherFilters(tab) : nothing} ${total(tab)}
  `
}

/** How many keys are shown of how many, where more are there. */
function total({ list, locale, view }: Tab): TemplateResult | typeof nothing {
  const { length: n } = view.rows
  if (list.total === null || list.total <= n) return nothing
  return html`<p class="muted small total" data-note="total">${locale.rich('list.total', { n, total: locale.number(list.total) })}</p>`
}

function furtherFilters(tab: Tab): TemplateResult {
  const { catalogue, locale, settings } = tab
  const { resources, search } = tab.parts
  const { text } = locale
  const scopes = (catalogue.groups ?? []).flatMap((group) => group.scopes)
  const labelOf = (place: string) => {
    const [type = '', id = ''] = place.split(/:(.*)/s)
    return `${resources.labelOf(type)}: ${resources.nameOf(type, id)}`
  }
  return html`<div id="filters" class="further">
    ${
      settings.hideEnvironment
        ? nothing
        : choice({
            id: 'by-environment',
            label: text('col.type'),
            any: text('filter.types'),
            options: (['live', 'test'] as const).map((one) => [one, text(`env.${one}`)]),
            value: search.environment,
            choose: (environment) =>
              search.look({ environment: environment as typeof search.environment }),
          })
    }
    ${choice({
      id: 'by-scope',
      label: text('create.scopes'),
      any: text('filter.scopes'),
      options: scopes.map(({ scope, label }) => [scope, locale.label(label) || scope]),
      value: search.scope,
      choose: (scope) => search.look({ scope }),
    })}
    ${
      search.creators.length > 1
        ? choice({
            id: 'creators',
            label: text('detail.creator'),
            any: text('filter.anybody'),
            options: search.creators.map(({ id, name }) => [id, name]),
            value: search.creator?.id ?? null,
            choose: (id) =>
              search.look({ creator: search.creators.find((one) => one.id === id) ?? null }),
          })
        : nothing
    }
    ${
      search.resources.length > 0
        ? choice({
            id: 'by-resource',
            label: text('filter.resource'),
            any: text('filter.resources'),
            options: search.resources.map((place) => [place, labelOf(place)]),
            value: search.resource,
            choose: (resource) => search.look({ resource }),
          })
        : nothing
    }
  </div>`
}

/** One filter: any, or one of these. */
function choice(of: {
  readonly id: string
  readonly label: string
  readonly any: string
  readonly options: readonly (readonly [value: string, text: string])[]
  readonly value: string | null
  readonly choose: (value: string | null) => void
}): TemplateResult {
  const choose = typed((value) => of.choose(value || null))
  return html`<select id=${of.id} aria-label=${of.label} @change=${choose}>
    <option value="" .selected=${of.value === null}>${of.any}</option>
    ${of.options.map(
      ([value, text]) =>
        html`<option value=${value} .selected=${of.value === value}>${drawable(text)}</option>`,
    )}
  </select>`
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
