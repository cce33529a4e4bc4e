import { html, nothing, type TemplateResult } from 'lit'
import { repeat } from 'lit/directives/repeat.js'
import { icons, note } from '../look/controls.ts'
import { Part } from '../part.ts'
import type { Secret, Secrets } from './secrets.ts'

const everyMs = 3_000
const givenUpAfter = 200

/** The secrets on screen. They are no dialogs: Escape and backdrops cannot take them away. */
export class KeyBanners extends Part {
  declare secrets: Secrets
  #watched: Secret | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #left = 0

  override disconnectedCallback(): void {
    super.disconnectedCallback()
    clearTimeout(this.#timer)
    this.#watched = undefined
  }

  protected override updated(): void {
    const { items } = this.secrets
    for (const secret of items) secret.mount(this.querySelector(`[data-secret="${secret.id}"]`))
    if (items[0] !== this.#watched) this.#watch(items[0])
  }

  protected override render(): TemplateResult {
    const { items } = this.secrets
    const { list } = this.context
    return html`
      ${list.phase === 'session' && items.length > 0 ? note('keep', icons.warning, this.text('session.keep')) : nothing}
      ${repeat(
        items,
        ({ id }) => id,
        (secret) => this.#banner(secret),
      )}
    `
  }

  #banner(secret: Secret): TemplateResult {
    const { asking, copied, copyFailed, former, id, key, source } = secret
    const { settings } = this.context
    const kind = former ? 'rotated' : 'created'
    const isFormer = source.workspaceId !== this.shell.source.workspaceId
    return html`
      <section part="banner banner-${kind}" class="banner ${kind} ${copied ? 'calm' : ''}" aria-labelledby="banner-${id}">
        <div id="banner-${id}" class="banner-title">${this.rich(`${kind}.title`, { name: (former ?? key).name })}</div>
        <p id="banner-body-${id}">${copied ? this.text('banner.copied') : this.#advice(secret)}</p>
        ${isFormer ? html`<p data-note="former">${this.text('banner.former')}</p>` : nothing}
        <div class="banner-secret">${this.#secret(secret)}${this.#copyButton(secret)}</div>
        ${copyFailed ? html`<p data-note="copy-failed">${this.text('copy.fail')}</p>` : nothing}
        ${asking ? this.#question(secret) : nothing}
        ${settings.callUrl ? this.#firstCall(secret) : nothing}
        <slot name="banner"></slot>
        <button part="dismiss-button" class="icon-button banner-close" type="button"
          aria-label=${this.text('close')} title=${this.text('close')}
          @click=${() => this.secrets.dismiss(secret)}>
          ${icons.close}
        </button>
      </section>
    `
  }

  /** What to do, and of a key that was replaced how long it works. */
  #advice({ former }: Secret): unknown {
    const until = former?.retiresAt
    const date = until ? this.context.locale.dates.moment(until) : ''
    const end = former && this.rich(until ? 'rotated.overlap' : 'rotated.ended', { date })
    return html`${this.text('created.body')} ${end || nothing}`
  }

  /*
   * A <code>, not an <input>: browsers restore inputs on reload, and password managers and enhanced
   * spell checks read them. The text is written there once it is drawn, so that no template or attribute
   * ever holds it. Its marks make session replay, translation and spell checks skip it.
   */
  #secret(secret: Secret): TemplateResult {
    const byHand = (event: ClipboardEvent) =>
      secret.fill(event) && this.secrets.note(secret, 'key', true)
    const select = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.code !== 'KeyA') return
      event.preventDefault()
      secret.select()
    }
    return html`<code part="secret"
        class="secret ph-no-capture fs-exclude sentry-block clarity-mask rr-block"
        data-secret=${secret.id} data-sentry-block data-private data-dd-privacy="hidden"
        data-clarity-mask="true" data-hj-suppress translate="no" spellcheck="false" tabindex="0"
        dir="ltr" role="group" aria-label=${this.text('secret.label')}
        @copy=${byHand} @keydown=${select}></code>`
  }

  #copyButton(secret: Secret): TemplateResult {
    const fresh = secret.fresh === 'key'
    return html`<button id="copy-${secret.id}" part="copy-button" class="strong copy" type="button"
        aria-describedby="banner-body-${secret.id}" @click=${() => this.#copy(secret)}>
      ${fresh ? icons.check : icons.copy}${this.text(fresh ? 'copied' : 'copy')}
    </button>`
  }

  async #copy(secret: Secret): Promise<boolean> {
    const copied = await secret.copy()
    return this.secrets.note(secret, 'key', copied)
  }

  #question(secret: Secret): TemplateResult {
    const copyAndDismiss = async () => {
      if (await this.#copy(secret)) this.secrets.dismiss(secret, true)
    }
    return html`
      <div class="row question" role="group" aria-labelledby="ask-${secret.id}">
        <p id="ask-${secret.id}" class="grow">${this.text('dismiss.ask')}</p>
        <button id="dismiss-copy-${secret.id}" class="strong" type="button" aria-describedby="ask-${secret.id}" @click=${copyAndDismiss}>${this.text('dismiss.copy')}</button>
        <button type="button" data-act="dismiss-anyway" @click=${() => this.secrets.dismiss(secret, true)}>${this.text('dismiss.anyway')}</button>
      </div>
    `
  }

  /** One line: an example to unfold, and whether the first call has arrived. */
  #firstCall(secret: Secret): TemplateResult {
    const unfold = () => {
      secret.unfolded = !secret.unfolded
      this.requestUpdate()
    }
    return html`
      <div class="row call-line">
        <button type="button" class="link" data-act="show-call" aria-expanded=${secret.unfolded} @click=${unfold}>${this.text('call.show')}</button>
        ${this.#arrival(secret)}
      </div>
      ${secret.unfolded ? this.#code(secret) : nothing}
    `
  }

  #code(secret: Secret): TemplateResult {
    const { settings } = this.context
    const pieces = callTo(settings.callUrl)
    const fresh = secret.fresh === 'code'
    const copy = async () => {
      const shown = this.querySelector<HTMLElement>(`#call-${secret.id}`)
      if (shown) this.secrets.note(secret, 'code', await secret.copy(shown, pieces))
    }
    return html`<div class="call">
      <pre id="call-${secret.id}" class="code" tabindex="0" dir="ltr" role="group"
        aria-label=${this.text('call.show')}>${pieces[0]}<span data-mask>${secret.key.prefix}…</span>${pieces[1]}</pre>
      <button type="button" class="small-button" data-act="copy-code" @click=${copy}>
        ${fresh ? icons.check : icons.copy}${this.text(fresh ? 'copied' : 'call.copy')}
      </button>
    </div>`
  }

  /** Whether the call has arrived; nothing for a key that is not watched, or no longer. */
  #arrival({ source, used }: Secret): TemplateResult | typeof nothing {
    const { list } = this.context
    if (used)
      return html`<span class="row works" data-note="call">${icons.check}${this.text('call.works')}</span>`
    if (source !== this.shell.source || this.#left === 0) return nothing
    if (list.phase === 'session') return nothing
    return html`<span data-note="call">${this.text('call.waiting')}</span>`
  }

  /** Looks whether the keys on screen have been used, until all have, but not for ever. */
  #watch(newest: Secret | undefined): void {
    this.#watched = newest
    this.#left = givenUpAfter
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.#look(), everyMs)
  }

  async #look(): Promise<void> {
    const { context, secrets } = this
    const { callUrl } = context.settings
    const { shell } = context
    const waiting = secrets.items.filter(({ source, used }) => !used && source === shell.source)
    if (waiting.length === 0 || !callUrl || context.list.phase === 'session' || !this.isConnected)
      return
    try {
      if (document.visibilityState === 'visible') {
        await Promise.all(waiting.map((secret) => this.#see(secret)))
      }
    } catch (error) {
      if (shell.signedOut(error)) return
    }
    this.#left -= 1
    if (this.#left > 0) this.#timer = setTimeout(() => void this.#look(), everyMs)
    else this.requestUpdate()
  }

  async #see(secret: Secret): Promise<void> {
    const { secrets } = this
    const key = await this.shell.client.getKey(secret.key.id, secret.source.tie)
    if (key.uses === 0 || !secrets.items.includes(secret)) return
    secret.used = true
    if (secret.source === this.shell.source) this.shell.keep(key)
    this.shell.say('call.works')
    this.requestUpdate()
  }
}

/** A call of curl up to where the secret belongs, and the rest of it. */
function callTo(address: string): readonly [before: string, after: string] {
  // Whatever ends a text of a shell; encoded, it means the same to HTTP.
  const { href } = new URL(address, document.baseURI)
  const url = href.replace(/['\\$`]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`)
  return [`curl '${url}' \\\n  -H 'Authorization: Bearer `, `'`]
}
