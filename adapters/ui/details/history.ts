import { html, nothing, type PropertyValues, type TemplateResult } from 'lit'
import type { WireKey, WireKeyEvent } from '../../client/index.ts'
import { codeOf, isAbsent } from '../calls/client.ts'
import { drawable } from '../format/text.ts'
import { flag, smallButton } from '../look/controls.ts'
import { Part } from '../part.ts'

/** How many events are shown at once. */
const limit = 5

/** Who acts where nobody does: a key ends by itself. */
const SYSTEM = 'miftah:system'

const FIELDS = ['name', 'note', 'scopes', 'resources', 'networks', 'expiresAt', 'metadata'] as const

/** Events that one sentence says. */
const PLAIN = ['created', 'imported', 'paused', 'resumed', 'expired', 'retired'] as const

/** What happened to a key, in words, the newest first, as far as the host says. */
export class KeyHistory extends Part {
  static override properties = { ...Part.properties, of: { attribute: false } }
  declare of: WireKey
  phase: 'absent' | 'loading' | 'ready' | 'failed' = 'absent'
  events: readonly WireKeyEvent[] = []
  nextCursor: string | null = null
  #reading: AbortController | null = null

  override disconnectedCallback(): void {
    super.disconnectedCallback()
    this.#reading?.abort()
  }

  protected override willUpdate(changed: PropertyValues): void {
    if (!changed.has('of') || (changed.get('of') as WireKey | undefined)?.id === this.of.id) return
    Object.assign(this, { events: [], nextCursor: null, phase: 'absent' })
    void this.#read()
  }

  protected override render(): TemplateResult | typeof nothing {
    const { events, nextCursor, phase } = this
    if (phase === 'absent') return nothing
    const { text } = this.context.locale
    const loading = phase === 'loading'
    const more = () => loading || this.#more()
    return html`<section class="history" aria-labelledby="history-title" aria-busy=${loading}>
      <h3 id="history-title" tabindex="-1">${text('history.title')}</h3>
      <ol>
        ${events.map((event) => this.#line(event))}
      </ol>
      ${phase === 'ready' && events.length === 0 ? html`<p>${text('history.none')}</p>` : nothing}
      ${loading && events.length === 0 ? html`<p class="muted">${text('history.loading')}</p>` : nothing}
      ${phase === 'failed' ? html`<p>${text('history.failed')} ${smallButton(text('err.retry'), more)}</p>` : nothing}
      ${
        nextCursor !== null && phase !== 'failed'
          ? html`<button type="button" class="small-button" data-act="more-events" aria-disabled=${flag(loading)} @click=${more}>${text('more')}</button>`
          : nothing
      }
    </section>`
  }

  #line(event: WireKeyEvent): TemplateResult {
    const { id, at, actor } = event
    const { dates, rich, text } = this.context.locale
    const own = actor.id === this.context.settings.userId
    const doer = own ? text('by.you') : rich('by', { name: drawable(actor.name) })
    return html`<li tabindex="-1" data-event=${id}>
      <span>${this.#words(event)}</span>
      <span class="muted small">${actor.id === SYSTEM ? nothing : html`${doer} · `}<time datetime=${at}>${dates.moment(at)}</time></span>
    </li>`
  }

  /** What an event says. One of a kind that this file does not know is a change. */
  #words(event: WireKeyEvent): unknown {
    const { dates, rich, text } = this.context.locale
    const plain = PLAIN.find((word) => event.type === `api_key.${word}`)
    if (plain) return text(`history.${plain}`)
    if (event.type === 'api_key.rotated') {
      const { name, overlapEndsAt } = event.data
      if (event.keyId !== this.of.id) return rich('history.origin', { name: drawable(name) })
      if (overlapEndsAt === null) return text('history.rotated')
      return rich('history.overlap', { date: dates.moment(overlapEndsAt) })
    }
    if (event.type === 'api_key.revoked') {
      const { endedOverlap, reason } = event.data
      if (reason === 'leaked' || reason === 'unused') return text(`history.${reason}`)
      return text(endedOverlap ? 'history.ended' : 'history.revoked')
    }
    if (event.type === 'api_key.expiring') {
      return rich('history.expiring', { date: dates.moment(event.data.expiresAt) })
    }
    return this.#updated(event)
  }

  #updated(event: WireKeyEvent): string {
    const { settings, text } = this.context.locale
    const after: unknown = Reflect.get(event.data, 'after')
    const changed = FIELDS.filter((field) => Object.hasOwn(Object(after), field))
    if (changed.length === 0) return text('history.updated')
    const list = new Intl.ListFormat(settings.lang)
    const fields = list.format(changed.map((field) => text(`history.${field}`)))
    return text('history.fields', { fields })
  }

  /** Reads the next events, or those that could not be loaded, and moves the focus to the first. */
  async #more(): Promise<void> {
    const { length } = this.events
    await this.#read()
    if (this.phase !== 'ready') return
    const first = this.events[length]
    const place = first ? [`[data-event="${CSS.escape(first.id)}"]`] : []
    this.context.shell.focusOn(...place, '#history-title')
  }

  async #read(): Promise<void> {
    this.#reading?.abort()
    const { client, locale, shell, source } = this.context
    if (client.getKeyEvents === undefined) return
    const reading = new AbortController()
    this.#reading = reading
    this.show({ phase: 'loading' })
    try {
      const query = { limit, ...(this.nextCursor === null ? {} : { cursor: this.nextCursor }) }
      const options = { signal: reading.signal, ...source.tie }
      const page = await client.getKeyEvents(this.of.id, query, options)
      if (this.#reading !== reading) return
      const events = [...this.events, ...page.events.filter(isReadable)]
      this.show({ events, nextCursor: page.nextCursor, phase: 'ready' })
    } catch (error) {
      if (this.#reading !== reading) return
      if (codeOf(error) === 'unauthenticated') return shell.expire()
      this.show({ phase: isAbsent(error) ? 'absent' : 'failed' })
      if (this.phase === 'failed') shell.announce(locale.text('history.failed'))
    }
  }
}

/** Whether an entry has what is drawn of every event. */
function isReadable(event: WireKeyEvent): boolean {
  const { id, type, at, actor, data } = event
  const texts = [id, type, actor?.name].every((one) => typeof one === 'string')
  return texts && Number.isFinite(Date.parse(at)) && typeof data === 'object' && data !== null
}
