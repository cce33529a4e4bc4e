import { html, nothing, type TemplateResult } from 'lit'
import type { WireKeyEvent } from '../../client/index.ts'
import { drawable } from '../format/text.ts'
import { flag, smallButton } from '../look/controls.ts'
import { ReadPart } from './read-part.ts'

const limit = 5

/** Who acts where nobody does: a key ends by itself. */
const SYSTEM = 'miftah:system'

const FIELDS = ['name', 'note', 'scopes', 'resources', 'networks', 'expiresAt', 'metadata'] as const

const PLAIN = ['created', 'imported', 'paused', 'resumed', 'expired', 'retired'] as const

/** What happened to a key, in words, the newest first, as far as the host says. */
export class KeyHistory extends ReadPart {
  events: readonly WireKeyEvent[] = []
  nextCursor: string | null = null

  protected override reset(): void {
    Object.assign(this, { events: [], nextCursor: null })
  }

  protected override async read(signal: AbortSignal) {
    const { client, source } = this.context
    if (client.getKeyEvents === undefined) return null
    const query = { limit, ...(this.nextCursor === null ? {} : { cursor: this.nextCursor }) }
    const page = await client.getKeyEvents(this.of, query, { signal, ...source.tie })
    return { events: [...this.events, ...page.events], nextCursor: page.nextCursor }
  }

  protected override render(): TemplateResult | typeof nothing {
    const { events, nextCursor, phase } = this
    if (phase === 'absent') return nothing
    const { text } = this.context.locale
    const loading = phase === 'loading'
    const empty = events.length === 0
    const more = () => loading || this.#more()
    return html`<section class="history" aria-labelledby="history-title" aria-busy=${loading}>
      <h3 id="history-title" tabindex="-1">${text('history.title')}</h3>
      <ol>
        ${events.map((event) => this.#line(event))}
      </ol>
      ${phase === 'ready' && empty ? html`<p>${text('history.none')}</p>` : nothing}
      ${phase === 'failed' ? html`<p role="status">${text('history.failed')} ${smallButton(text('err.retry'), more)}</p>` : nothing}
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
      if (event.keyId !== this.of) return rich('history.origin', { name: drawable(name) })
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
    await this.load()
    const first = this.events[length]
    if (first)
      this.context.shell.focusOn(`[data-event="${CSS.escape(first.id)}"]`, '#history-title')
  }
}
