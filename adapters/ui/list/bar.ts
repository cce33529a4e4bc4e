import { html, nothing, type TemplateResult } from 'lit'
import { icons, paused, searchField, typed, upgradeLink } from '../look/controls.ts'
import { Part } from '../part.ts'
import { FILTERS, type ListFilter } from './key-list.ts'

/** From so many keys on, the list can be searched. */
const searchableFrom = 15

const filters = Object.keys(FILTERS) as readonly ListFilter[]

/** Above the list: the search of a long one, the choice of keys, and the allowance. */
export class ListBar extends Part {
  readonly #read = paused(() => this.isConnected && this.context.list.look({}))

  protected override render(): TemplateResult {
    const { list } = this.context
    const isEmpty = list.isEmpty || list.phase !== 'ready'
    const counted = Math.max(list.keys.length, list.plan.activeKeys)
    const searchable = counted >= searchableFrom || list.search !== ''
    const choose = typed((filter) => void list.look({ filter: filter as ListFilter }))
    return html`
      <div class="bar ${list.isEmpty && list.plan.activeKeyLimit === null ? 'bare' : ''}">
        ${searchable && !isEmpty ? this.#search() : nothing}
        ${
          isEmpty
            ? nothing
            : html`<select id="filter" aria-label=${this.text('filter.label')} @change=${choose}>
          ${filters.map((one) => html`<option value=${one} .selected=${one === list.filter}>${this.text(one === 'live' || one === 'test' ? `env.${one}` : `filter.${one}`)}</option>`)}
        </select>`
        }
        ${list.plan.activeKeyLimit === null || list.locked || list.phase !== 'ready' ? nothing : this.#allowance(list.plan.activeKeyLimit)}
      </div>
    `
  }

  #search(): TemplateResult {
    const { list, locale } = this.context
    const look = (search: string) => {
      Object.assign(list, { search, pending: true })
      this.#read()
      this.shell.changed()
    }
    const label = this.text('search.label')
    const hint = this.text('search.hint')
    return html`<label class="search">
      ${icons.search}${searchField(locale, { id: 'search', label, hint, text: list.search, look })}
    </label>`
  }

  #allowance(limit: number): TemplateResult {
    const { list, may } = this.context
    const active = list.plan.activeKeys
    const link = upgradeLink(this.context, 'limit', this.text('upgrade'))
    const full = active > limit ? 'limit.over' : 'limit.title'
    return html`<p part="allowance" class="allowance">
      <span part="allowance-value">${this.rich('allowance.value', { active, n: limit })}</span>${
        active < limit || !may('create')
          ? nothing
          : html` · <span id="limit-title" data-note="limit">${this.rich(full, { link })}</span>`
      }
    </p>`
  }
}
