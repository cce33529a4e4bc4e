import { html, nothing, type TemplateResult } from 'lit'
import { guard } from 'lit/directives/guard.js'
import { repeat } from 'lit/directives/repeat.js'
import type { WireKey } from '../../client/index.ts'
import { drawable } from '../format/text.ts'
import { flag, places } from '../look/controls.ts'
import { Part } from '../part.ts'
import * as facts from './facts.ts'
import { keyMenu } from './menu.ts'

const minuteMs = 60_000
const heads = ['name', 'key', 'type', 'last', 'uses', 'status', 'actions'] as const

/** The keys: those that work, and folded below them those that no longer do. */
export class KeysTable extends Part {
  #unfolded = false
  #hadFocus = false
  #menuOf: string | null = null

  protected override willUpdate(): void {
    this.#hadFocus = this.querySelector(':focus') !== null
  }

  protected override updated(): void {
    // What had the focus has left the list.
    if (!this.#hadFocus || this.querySelector(':focus')) return
    this.shell.catchFocus(places.filter, ...places.top)
  }

  protected override render(): TemplateResult {
    const { list } = this.context
    const { live, ended } = list
    if (list.keys.length === 0) return this.#nothingFound()
    const n = ended.total ?? ended.keys.length
    const unfolded = this.#unfolded || live.keys.length === 0
    // The roles are spelt out because Safari drops those of table elements that are laid out otherwise.
    return html`
      <table part="table" role="table" class=${this.context.settings.readonly ? 'readonly' : ''}>
        <caption class="sr">${this.text('title')}</caption>
        <thead role="rowgroup">
          <tr role="row">${heads.map((column) => this.#head(column))}</tr>
        </thead>
        <tbody role="rowgroup">
          ${this.#rows(live.keys)}
          ${ended.keys.length > 0 && live.keys.length > 0 ? this.#fold(n, unfolded) : nothing}
          ${unfolded ? this.#rows(ended.keys) : nothing}
        </tbody>
      </table>
      ${live.nextCursor !== null ? this.#more('live') : nothing}
      ${unfolded && ended.nextCursor !== null ? this.#more('ended') : nothing}
    `
  }

  /** What stands in place of the table where nothing was found, or while it is looked for. */
  #nothingFound(): TemplateResult {
    const { list } = this.context
    if (list.stale) return html``
    if (list.pending) return html`<p class="slim">${this.text('loading')}</p>`
    const wanted = list.search.trim()
    const clear = () => {
      void list.look({ search: '', filter: 'all' })
      this.shell.focusOn(places.search, places.filter)
    }
    return html`<p class="slim">
      ${wanted ? this.rich('search.none', { q: wanted }) : this.text('filter.none')}
      <button type="button" class="small-button" data-act="clear-search" @click=${clear}>${this.text('filter.all')}</button>
    </p>`
  }

  #head(column: (typeof heads)[number]): TemplateResult | typeof nothing {
    if (column === 'actions' && this.context.settings.readonly) return nothing
    const words = this.text(`col.${column}`)
    return html`<th role="columnheader" scope="col" part="column-head" class="c-${column}">${column === 'actions' ? html`<span class="sr">${words}</span>` : words}</th>`
  }

  #fold(n: number, unfolded: boolean): TemplateResult {
    const toggle = () => {
      this.#unfolded = !unfolded
      this.requestUpdate()
    }
    return html`<tr role="row" class="group">
      <th role="rowheader" scope="rowgroup" colspan="7">
        <button id="ended" class="fold" type="button" aria-expanded=${unfolded} @click=${toggle}><span>${this.rich('list.ended', { n })}</span></button>
      </th>
    </tr>`
  }

  #more(of: 'live' | 'ended'): TemplateResult {
    const { list } = this.context
    const { more } = list
    const failed = more?.of === of && more.failed
    const read = async () => {
      const before = list[of].keys.length
      await list.readMore(of)
      const first = list[of].keys[before]
      if (first) this.shell.focusOn(places.row(first.id))
    }
    return html`<div class="center">
      ${failed ? html`<p class="muted" data-note="short">${this.text('load.failed')}</p>` : nothing}
      <button type="button" data-act="more" aria-busy=${flag(more?.of === of && !more.failed)} @click=${read}>
        ${this.text(failed ? 'err.retry' : 'more')}
      </button>
    </div>`
  }

  #rows(keys: readonly WireKey[]): unknown {
    const { list, locale, settings } = this.context
    const { readonly, userId } = settings
    const minute = Math.floor(Date.now() / minuteMs)
    const shared = [minute, locale, list.locked, list.plan.allowedOperations, readonly, userId]
    return repeat(
      keys,
      ({ id }) => id,
      (key) => guard([key, this.#menuOf === key.id, ...shared], () => this.#row(key)),
    )
  }

  #row(key: WireKey): TemplateResult {
    const { context } = this
    const { locale, settings, shell } = context
    const isOver = /revoked|expired/.test(key.status)
    const due = facts.dueOf(context, key)
    const count = locale.rich('count.scopes', { n: key.scopes.length })
    return html`
      <tr role="row" part="row" class="${isOver || context.list.locked ? 'over' : ''} ${due && !isOver ? 'is-due' : ''}">
        <th role="rowheader" scope="row">
          <button class="name-button" type="button" data-row=${key.id} aria-haspopup="dialog"
            @click=${() => shell.open('details', key)}><bdi part="name" class="cut">${drawable(key.name)}</bdi></button>
          <span class="second"
            ><span class="cut by"><span part="creator">${facts.creatorOf(context, key)}</span> · <span part="scopes">${count}</span></span
            >${facts.dueSpan(due)}</span
          >
        </th>
        <td role="cell" class="c-key">${facts.prefixOf(context, key)}</td>
        <td role="cell" class="c-type">${facts.typeOf(context, key)}</td>
        <td role="cell" class="c-last">${facts.lastUseOf(context, key)}</td>
        <td role="cell" class="c-uses">${facts.usesOf(context, key)}</td>
        <td role="cell" class="c-status">${facts.statusOf(context, key)}</td>
        ${settings.readonly ? nothing : html`<td role="cell" class="actions">${facts.keyButtons(context, key)}${this.#menu(key)}</td>`}
      </tr>
    `
  }

  #menu(key: WireKey): TemplateResult {
    const opened = (isOpen: boolean) => {
      this.#menuOf = isOpen ? key.id : null
      this.requestUpdate()
    }
    return keyMenu(this.context, key, this.#menuOf === key.id, opened)
  }
}
