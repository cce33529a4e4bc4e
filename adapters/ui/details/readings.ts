import { html, nothing, svg, type TemplateResult } from 'lit'
import type { WireKeyEvent, WireUsageBucket } from '../../client/index.ts'
import type { DateWriter } from '../format/dates.ts'
import { drawable } from '../format/text.ts'
import { flag, smallButton } from '../look/controls.ts'
import { ReadPart } from '../look/read-part.ts'

const shownDays = 30
const dayMs = 86_400_000

/** Height of the chart and width of one day, in its own units. */
const height = 48
const step = 10

/** The requests of one key in the last days as bars and in one sentence, as far as the host keeps a history. */
export class KeyUsage extends ReadPart {
  declare of: string
  days: readonly Day[] = []

  protected override async read(signal: AbortSignal) {
    const { locale } = this.context
    const { client, source } = this.shell
    if (client.getKeyUsage === undefined) return null
    const now = Date.now()
    const dayBefore = locale.dates.endOf(locale.dates.dayIn(-shownDays, now))
    const from = new Date(dayBefore + 1).toISOString()
    const query = { from, to: new Date(now + 1).toISOString() }
    const { buckets } = await client.getKeyUsage(this.of, query, { signal, ...source.tie })
    return { days: daysIn(buckets, locale.dates) }
  }

  protected override render(): TemplateResult | typeof nothing {
    if (this.phase === 'absent' || this.phase === 'loading') return nothing
    const again = smallButton(this.text('err.retry'), () => this.load())
    return html`<section class="usage" aria-labelledby="usage-title">
      <h3 id="usage-title">${this.rich('usage.title', { n: shownDays })}</h3>
      ${this.phase === 'failed' ? html`<p>${this.text('load.failed')} ${again}</p>` : this.#counts()}
    </section>`
  }

  #counts(): TemplateResult {
    const { days } = this
    const { dates } = this.context.locale
    const sum = (count: (day: Day) => number) => days.reduce((total, day) => total + count(day), 0)
    const last = days.findLast((day) => day.accepted + day.refused > 0)
    if (last === undefined) return html`<p>${this.rich('usage.none', { n: shownDays })}</p>`
    const day = dates.dayAgo(last.at, Date.now())
    const accepted = sum((one) => one.accepted)
    const refused = sum((one) => one.refused)
    const most = Math.max(...days.map((one) => one.accepted + one.refused))
    return html`
      <svg class="bars" aria-hidden="true" viewBox="0 0 ${step * days.length} ${height}" preserveAspectRatio="none">
        ${days.map((one, place) => bar(one, place, (count) => (height * count) / most))}
      </svg>
      <p>${this.rich('usage.sums', { accepted, refused, day })}</p>
    `
  }
}

interface Day {
  readonly at: string
  accepted: number
  refused: number
}

/** The last days by the clocks of the viewer, each the sum of the hours that begin in it. */
function daysIn(buckets: readonly WireUsageBucket[], { dayIn }: DateWriter): readonly Day[] {
  const now = Date.now()
  const days = new Map<string, Day>()
  for (let ago = shownDays - 1; ago >= 0; ago -= 1) {
    const at = new Date(now - ago * dayMs).toISOString()
    days.set(dayIn(-ago, now), { at, accepted: 0, refused: 0 })
  }
  for (const { startsAt, accepted, denied } of buckets) {
    const day = days.get(dayIn(0, Date.parse(startsAt)))
    if (day === undefined) continue
    day.accepted += accepted
    day.refused += Object.values(denied).reduce((sum, count) => sum + count, 0)
  }
  return [...days.values()]
}

function bar(day: Day, place: number, tall: (count: number) => number): unknown {
  const accepted = tall(day.accepted)
  const refused = tall(day.refused)
  const rect = (look: string, y: number, tallness: number) =>
    svg`<rect class=${look} x=${place * step + 1} y=${y} width=${step - 2} height=${tallness} />`
  return [
    rect('base', height - 0.5, 0.5),
    rect('accepted', height - accepted, accepted),
    rect('refused', height - accepted - refused, refused),
  ]
}

const limit = 5

/** Who acts where nobody does: a key ends by itself. */
const SYSTEM = 'miftah:system'

/** The fields that an event may name, and what the form calls them. */
const FIELDS = {
  name: 'col.name',
  note: 'note',
  scopes: 'form.scopes',
  resources: 'history.resources',
  networks: 'net.title',
  expiresAt: 'expiry',
} as const

const PLAIN = ['created', 'imported', 'paused', 'resumed', 'expired', 'retired'] as const

/** What happened to a key, in words, the newest first, as far as the host says. */
export class KeyHistory extends ReadPart {
  declare of: string
  events: readonly WireKeyEvent[] = []
  nextCursor: string | null = null

  protected override async read(signal: AbortSignal) {
    const { client, source } = this.shell
    if (client.getKeyEvents === undefined) return null
    const query = { limit, ...(this.nextCursor === null ? {} : { cursor: this.nextCursor }) }
    const page = await client.getKeyEvents(this.of, query, { signal, ...source.tie })
    return { events: [...this.events, ...page.events], nextCursor: page.nextCursor }
  }

  protected override render(): TemplateResult | typeof nothing {
    const { events, nextCursor, phase } = this
    if (phase === 'absent' || (phase === 'ready' && events.length === 0)) return nothing
    const loading = phase === 'loading'
    const more = () => loading || this.#more()
    return html`<section class="history" aria-labelledby="history-title" aria-busy=${loading}>
      <h3 id="history-title" tabindex="-1">${this.text('history.title')}</h3>
      <ol>
        ${events.map((event) => this.#line(event))}
      </ol>
      ${phase === 'failed' ? html`<p role="status">${this.text('load.failed')} ${smallButton(this.text('err.retry'), more)}</p>` : nothing}
      ${
        nextCursor !== null && phase !== 'failed'
          ? html`<button type="button" class="small-button" data-act="more-events" aria-disabled=${flag(loading)} @click=${more}>${this.text('more')}</button>`
          : nothing
      }
    </section>`
  }

  #line(event: WireKeyEvent): TemplateResult {
    const { id, at, actor } = event
    const { dates } = this.context.locale
    const own = actor.id === this.context.settings.userId
    const doer = own ? this.text('by.you') : this.rich('by', { name: drawable(actor.name) })
    return html`<li tabindex="-1" data-event=${id}>
      <span>${this.#words(event)}</span>
      <span class="muted small">${actor.id === SYSTEM ? nothing : html`${doer} · `}<time datetime=${at}>${dates.moment(at)}</time></span>
    </li>`
  }

  /** What an event says. One of a kind that this file does not know is a change. */
  #words(event: WireKeyEvent): unknown {
    const { dates } = this.context.locale
    const plain = PLAIN.find((word) => event.type === `api_key.${word}`)
    if (plain) return this.text(`history.${plain}`)
    if (event.type === 'api_key.rotated') {
      const { name, overlapEndsAt } = event.data
      if (event.keyId !== this.of) return this.rich('history.origin', { name: drawable(name) })
      if (overlapEndsAt === null) return this.text('history.rotated')
      return this.rich('history.overlap', { date: dates.moment(overlapEndsAt) })
    }
    if (event.type === 'api_key.revoked') {
      return this.text(event.data.reason === 'leaked' ? 'history.leaked' : 'history.revoked')
    }
    if (event.type === 'api_key.expiring') {
      return this.rich('history.expiring', { date: dates.moment(event.data.expiresAt) })
    }
    return this.#updated(event)
  }

  #updated(event: WireKeyEvent): string {
    const { settings } = this.context.locale
    const after: unknown = Reflect.get(event.data, 'after')
    const changed = Object.entries(FIELDS).filter(([field]) => Object.hasOwn(Object(after), field))
    if (changed.length === 0) return this.text('history.updated')
    const words = changed.map(([, word]) => this.text(word))
    return this.text('history.fields', { fields: new Intl.ListFormat(settings.lang).format(words) })
  }

  /** Reads the next events, or those that could not be loaded, and moves the focus to the first. */
  async #more(): Promise<void> {
    const { length } = this.events
    await this.load()
    const first = this.events[length]
    if (first) this.shell.focusOn(`[data-event="${CSS.escape(first.id)}"]`, '#history-title')
  }
}
