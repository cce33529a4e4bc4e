import { html, nothing, type TemplateResult } from 'lit'
import { icons, searchField, typed, upgradeLink } from '../look/controls.ts'
import { Part } from '../part.ts'
import { FILTERS, type ListFilter } from './key-list.ts'

/** From so many keys on, the list can be searched. */
const searchableFrom = 15
// The server is not queried at every keystroke.
const typingMs = 250

const filters = Object.keys(FILTERS) as readonly ListFilter[]

/** Above the list: the search of a long one, the choice of keys, and the allowance. */
export class ListBar extends Part {
  #text = ''
  #typing: ReturnType<typeof setTimeout> | undefined

  override disconnectedCallback(): void {
    super.disconnectedCallback()
    clearTimeout(this.#typing)
  }

  protected override willUpdate(): void {
    // What was looked for is over: another place, or all keys again.
    if (this.context.list.search === '' && this.#typing === undefined) this.#text = ''
  }

  protected override render(): TemplateResult {
    const { list } = this.context
    const isEmpty = list.isEmpty || list.phase !== 'ready'
    const counted = Math.max(list.keys.length, list.plan.activeKeys)
    const searchable = counted >= searchableFrom || this.#text !== '' || list.search !== ''
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
    const { locale } = this.context
    const look = (text: string) => {
      this.#text = text
      clearTimeout(this.#typing)
      this.#typing = setTimeout(() => {
        this.#typing = undefined
        void this.context.list.look({ search: text })
      }, typingMs)
      this.requestUpdate()
    }
    const label = this.text('search.label')
    const hint = this.text('search.hint')
    return html`<label class="search">
      ${icons.search}${searchField(locale, { id: 'search', label, hint, text: this.#text, look })}
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
