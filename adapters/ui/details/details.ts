import { html, nothing, type TemplateResult } from 'lit'
import type { WireKey } from '../../client/index.ts'
import { copyShown } from '../banner/copying.ts'
import type { Change } from '../calls/failure.ts'
import { Resources } from '../form/resources.ts'
import { drawable } from '../format/text.ts'
import { labelOf, scopesOf } from '../list/catalogue.ts'
import { creatorOf, dueSpan, lastUseOf, prefixOf, statusOf, typeOf } from '../list/facts.ts'
import { keyButtons } from '../list/key-actions.ts'
import { isChangeable } from '../list/listed-key.ts'
import { code, smallButton } from '../look/controls.ts'
import { Dialog } from '../look/dialog.ts'
import { icons } from '../look/icons.ts'

const freshForMs = 3_000

/** The drawer with all that is known about one key. */
export class KeyDetails extends Dialog {
  /** What was just copied, or could not be. */
  copied: 'copied' | 'failed' | null = null
  #shown: WireKey | null = null
  readonly #resources = new Resources(
    () => this.context,
    () => this.requestUpdate(),
  )

  override get name(): string {
    return 'details'
  }

  /** The key as it was last loaded. */
  get key(): WireKey | null {
    return this.#shown && (this.context.find(this.#shown.id) ?? this.#shown)
  }

  protected override get change(): Change {
    return { action: 'update', name: this.key?.name ?? '', source: this.context.source }
  }

  view(key: WireKey): void {
    this.#shown = key
    for (const [type, ids] of Object.entries(key.resources ?? {})) {
      if (Array.isArray(ids)) void this.#resources.name(type, ids)
    }
    this.show({ open: true, copied: null })
    this.context.shell.changed()
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
      class: 'drawer',
      light: true,
      title: html`<bdi>${drawable(key.name)}</bdi>`,
      content: html`
        <p class="state">${statusOf(context, key)}${dueSpan(context, key)}</p>
        ${key.withinGrant === false ? html`<p class="note" data-note="beyond">${icons.lock}<span class="grow">${text('grant.key')}</span></p>` : nothing}
        <dl>
          ${fact(text('detail.id'), this.#id(key))}
          ${fact(text('col.key'), html`<span>${prefixOf(context, key)}</span>`)}
          ${fact(text('col.type'), typeOf(context, key))}
          ${key.note ? fact(text('note'), html`<bdi>${drawable(key.note)}</bdi>`) : nothing}
          ${fact(text('detail.creator'), key.creator?.name ? html`<bdi>${drawable(key.creator.name)}</bdi>` : creatorOf(context, key))}
          ${this.#instants(key)}
          ${fact(text('col.uses'), locale.number(key.uses))}
          ${this.#relative('detail.replaces', key.replaces)}
          ${this.#relative('detail.replacedBy', key.replacedBy)}
          ${this.#restrictions(key)}
        </dl>
        <api-keys-usage .context=${context} .of=${key.id}></api-keys-usage>
        <section>
          <h3>${rich('count.scopes', { n: key.scopes.length })}</h3>
          ${this.#scopes(key)}
        </section>
        <api-keys-history .context=${context} .of=${key}></api-keys-history>
        <slot name="details"></slot>
      `,
      foot: settings.readonly ? nothing : this.#actions(key),
    }
  }

  #id(key: WireKey): TemplateResult {
    const { shell, locale } = this.context
    const { text } = locale
    const done = this.copied === 'copied'
    const copy = async () => {
      const shown = this.querySelector<HTMLElement>('#details-id')
      const copied = shown !== null && (await copyShown(shown, key.id))
      this.show({ copied: copied ? 'copied' : 'failed' })
      shell.announce(text(copied ? 'copied' : 'detail.id.fail'))
      if (copied) setTimeout(() => this.show({ copied: null }), freshForMs)
    }
    return html`<code id="details-id"><bdi dir="ltr">${drawable(key.id)}</bdi></code>
      <button type="button" class="icon-button" data-act="copy-id" aria-label=${text(done ? 'copied' : 'detail.copy')} @click=${copy}>${done ? icons.check : icons.copy}</button>
      ${this.copied === 'failed' ? html`<p data-note="id-failed">${text('detail.id.fail')}</p>` : nothing}`
  }

  /** The moments in the life of a key, in full. */
  #instants(key: WireKey): readonly (TemplateResult | typeof nothing)[] {
    const { dates, text } = this.context.locale
    const all = [
      [text('detail.created'), key.createdAt],
      [text('detail.changed'), key.version > 1 ? key.updatedAt : null],
      [text('expiry'), key.expiresAt],
      [text('status.paused'), key.pausedAt],
      [text('detail.retires'), key.retiresAt],
      [text('status.revoked'), key.revokedAt],
    ] as const
    const used = key.lastUsedAt ? dates.full(key.lastUsedAt) : lastUseOf(this.context, key)
    const rows = all.map(([term, at]) => (at ? fact(term, dates.full(at)) : nothing))
    return [...rows, fact(text('col.last'), used)]
  }

  /** A key before or after the shown one: a way to it, where it is loaded. */
  #relative(id: 'detail.replaces' | 'detail.replacedBy', other: string | null) {
    if (!other) return nothing
    const key = this.context.find(other)
    const follow = () => {
      if (key) this.view(key)
      this.context.shell.focusOn('#details-title')
    }
    const way = key ? smallButton(html`<bdi>${drawable(key.name)}</bdi>`, follow) : code(other)
    return fact(this.context.locale.text(id), way)
  }

  /** What a key reaches and where it can be used from; nothing of routes that do not say it. */
  #restrictions(key: WireKey): readonly unknown[] {
    const { catalogue, locale } = this.context
    const list = (items: readonly unknown[]) =>
      html`<ul>${items.map((item) => html`<li>${item}</li>`)}</ul>`
    const named = (type: string, id: string) => {
      const name = this.#resources.nameOf(type, id)
      return name === id ? code(id) : html`<bdi>${drawable(name)}</bdi> ${code(id)}`
    }
    const types = new Set([
      ...catalogue.types.map(({ type }) => type),
      ...Object.keys(key.resources ?? {}),
    ])
    const rows = [...types].map((type) => {
      const ids = key.resources?.[type] ?? 'all'
      const label = drawable(this.#resources.labelOf(type))
      if (ids === 'all')
        return fact(label, html`<span>${locale.rich('res.all', { type: label })}</span>`)
      const none = locale.text('res.none')
      return fact(label, ids.length > 0 ? list(ids.map((id) => named(type, id))) : none)
    })
    const networks = Array.isArray(key.networks) ? list(key.networks.map(code)) : null
    return [...rows, networks && fact(locale.text('net.title'), networks)]
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

  /** What can be done with the key, as in its row and its menu. */
  #actions(key: WireKey): unknown {
    const { locale, locked, may, shell } = this.context
    const item = (word: 'edit' | 'pause' | 'resume') =>
      html`<button type="button" data-act=${word} @click=${() => shell.open(word, key)}>${locale.text(`menu.${word}`)}</button>`
    return [
      isChangeable(key) && may('update') ? item('edit') : nothing,
      key.status === 'active' && may('pause') ? item('pause') : nothing,
      key.status === 'paused' && may('resume') && !locked && key.withinGrant !== false
        ? item('resume')
        : nothing,
      keyButtons(this.context, key),
    ]
  }
}

function fact(term: unknown, value: unknown): TemplateResult {
  return html`<div><dt>${term}</dt><dd>${value}</dd></div>`
}
