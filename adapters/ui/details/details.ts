import { html, nothing, type TemplateResult } from 'lit'
import { keyed } from 'lit/directives/keyed.js'
import type { WireKey } from '../../client/index.ts'
import { copyShown, freshForMs } from '../banner/secrets.ts'
import { Names } from '../form/resources.ts'
import { drawable } from '../format/text.ts'
import { labelOf, scopesOf } from '../list/catalogue.ts'
import * as facts from '../list/facts.ts'
import { code, icons, note, smallButton } from '../look/controls.ts'
import { Dialog } from '../look/dialog.ts'

/** The drawer with all that is known about one key. */
export class KeyDetails extends Dialog {
  copied = false
  #shown: WireKey | null = null
  #names = new Names()

  override get name(): string {
    return 'details'
  }

  get key(): WireKey | null {
    return this.#shown && (this.context.list.find(this.#shown.id) ?? this.#shown)
  }

  view(key: WireKey): void {
    this.#shown = key
    const names = new Names()
    this.#names = names
    for (const [type, ids] of Object.entries(key.resources)) {
      if (ids !== 'all') void names.read(this.context, type, ids).then(() => this.requestUpdate())
    }
    this.show({ open: true, copied: false })
    this.shell.changed()
  }

  override close(): void {
    this.#shown = null
    super.close()
  }

  protected override frame() {
    const { context } = this
    const { locale, settings } = context
    const key = this.key as WireKey
    const { rich, text } = locale
    return {
      drawer: true,
      title: html`<bdi>${drawable(key.name)}</bdi>`,
      content: html`
        <p class="state">${facts.statusOf(context, key)}${facts.dueSpan(facts.dueOf(context, key))}</p>
        ${key.withinGrant === false ? note('beyond', icons.lock, text('grant.key')) : nothing}
        <dl>
          ${fact(text('detail.id'), this.#id(key))}
          ${fact(text('col.key'), html`<span>${facts.prefixOf(context, key)}</span>`)}
          ${fact(text('col.type'), facts.typeOf(context, key))}
          ${key.note ? fact(text('note'), html`<bdi>${drawable(key.note)}</bdi>`) : nothing}
          ${fact(text('detail.creator'), key.creator?.name ? html`<bdi>${drawable(key.creator.name)}</bdi>` : facts.creatorOf(context, key))}
          ${this.#instants(key)}
          ${fact(text('col.uses'), locale.number(key.uses))}
          ${this.#relative('detail.replaces', key.replaces)}
          ${this.#relative('detail.replacedBy', key.replacedBy)}
          ${this.#restrictions(key)}
        </dl>
        ${keyed(key.id, html`<api-keys-usage .context=${context} .of=${key.id}></api-keys-usage>`)}
        <section>
          <h3>${rich('count.scopes', { n: key.scopes.length })}</h3>
          ${this.#scopes(key)}
        </section>
        ${keyed(key.id, html`<api-keys-history .context=${context} .of=${key.id}></api-keys-history>`)}
        <slot name="details"></slot>
      `,
      foot: settings.readonly ? nothing : this.#actions(key),
    }
  }

  #id(key: WireKey): TemplateResult {
    const { copied } = this
    const copy = async () => {
      const shown = this.querySelector<HTMLElement>('#details-id')
      const isCopied = shown !== null && (await copyShown(shown, key.id))
      this.show({ copied: isCopied })
      this.shell.say(isCopied ? 'copied' : 'copy.fail')
      setTimeout(() => this.show({ copied: false }), freshForMs)
    }
    return html`<code id="details-id"><bdi dir="ltr">${drawable(key.id)}</bdi></code>
      <button type="button" class="icon-button" data-act="copy-id" aria-label=${this.text(copied ? 'copied' : 'detail.copy')} @click=${copy}>${copied ? icons.check : icons.copy}</button>`
  }

  #instants(key: WireKey): readonly (TemplateResult | typeof nothing)[] {
    const { dates } = this.context.locale
    const all = [
      [this.text('detail.created'), key.createdAt],
      [this.text('detail.changed'), key.version > 1 ? key.updatedAt : null],
      [this.text('expiry'), key.expiresAt],
      [this.text('status.paused'), key.pausedAt],
      [this.text('detail.retires'), key.retiresAt],
      [this.text('status.revoked'), key.revokedAt],
    ] as const
    const used = key.lastUsedAt ? dates.full(key.lastUsedAt) : facts.lastUseOf(this.context, key)
    const rows = all.map(([term, at]) => (at ? fact(term, dates.full(at)) : nothing))
    return [...rows, fact(this.text('col.last'), used)]
  }

  /** A key before or after the shown one: a way to it, where it is loaded. */
  #relative(id: 'detail.replaces' | 'detail.replacedBy', other: string | null) {
    if (!other) return nothing
    const key = this.context.list.find(other)
    const follow = () => {
      if (key) this.view(key)
      this.shell.focusOn('#details-title')
    }
    const way = key ? smallButton(html`<bdi>${drawable(key.name)}</bdi>`, follow) : code(other)
    return fact(this.text(id), way)
  }

  /** What a key reaches and where it can be used from; nothing of routes that do not say it. */
  #restrictions(key: WireKey): readonly unknown[] {
    const { catalogue, locale } = this.context
    const list = (items: readonly unknown[]) =>
      html`<ul>${items.map((item) => html`<li>${item}</li>`)}</ul>`
    const named = (type: string, id: string) => {
      const name = this.#names.of(type, id)
      return name === id ? code(id) : html`<bdi>${drawable(name)}</bdi> ${code(id)}`
    }
    const rows = catalogue.types.map(({ type, label }) => {
      const ids = key.resources[type] ?? 'all'
      const term = drawable(locale.label(label))
      if (ids === 'all')
        return fact(term, html`<span>${this.rich('res.all', { type: term })}</span>`)
      const none = this.text('res.none')
      return fact(term, ids.length > 0 ? list(ids.map((id) => named(type, id))) : none)
    })
    const networks = key.networks === 'any' ? null : list(key.networks.map(code))
    return [...rows, networks && fact(this.text('net.title'), networks)]
  }

  /** The scopes of a key in words, in the order of the catalogue. */
  #scopes({ scopes }: WireKey): TemplateResult {
    const { catalogue, locale } = this.context
    const order = scopesOf(catalogue)
    const sorted = scopes.toSorted((one, other) => order.indexOf(one) - order.indexOf(other))
    return html`<ul class="words">${sorted.map(
      (scope) =>
        html`<li>${locale.label(labelOf(catalogue, scope))} <code part="scope-code"><bdi dir="ltr">${drawable(scope)}</bdi></code></li>`,
    )}</ul>`
  }

  #actions(key: WireKey): unknown {
    const items = facts
      .itemsOf(this.context, key)
      .map(
        (word) =>
          html`<button type="button" data-act=${word} @click=${() => this.shell.open(word, key)}>${this.text(word)}</button>`,
      )
    return [items, facts.keyButtons(this.context, key)]
  }
}

function fact(term: unknown, value: unknown): TemplateResult {
  return html`<div><dt>${term}</dt><dd>${value}</dd></div>`
}
