import { html, nothing, svg, type TemplateResult } from 'lit'
import type { WireUsageBucket } from '../../client/index.ts'
import type { DateWriter } from '../format/dates.ts'
import { smallButton } from '../look/controls.ts'
import { ReadPart } from './read-part.ts'

const shownDays = 30
const dayMs = 86_400_000

/** Height of the chart and width of one day, in its own units. */
const height = 48
const step = 10

/** The requests of one key in the last days as bars and in one sentence, as far as the host keeps a history. */
export class KeyUsage extends ReadPart {
  days: readonly Day[] = []

  protected override reset(): void {
    this.days = []
  }

  protected override async read(signal: AbortSignal) {
    const { client, locale, source } = this.context
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
    const { rich, text } = this.context.locale
    const again = smallButton(text('err.retry'), () => this.load())
    return html`<section class="usage" aria-labelledby="usage-title">
      <h3 id="usage-title">${rich('usage.title', { n: shownDays })}</h3>
      ${this.phase === 'failed' ? html`<p>${text('usage.failed')} ${again}</p>` : this.#counts()}
    </section>`
  }

  #counts(): TemplateResult {
    const { days } = this
    const { dates, rich, text } = this.context.locale
    const sum = (count: (day: Day) => number) => days.reduce((total, day) => total + count(day), 0)
    const last = days.findLast((day) => day.accepted + day.refused > 0)
    if (last === undefined) return html`<p>${rich('usage.none', { n: shownDays })}</p>`
    const day = dates.dayAgo(last.at, Date.now())
    const most = Math.max(...days.map((one) => one.accepted + one.refused))
    return html`
      <svg class="bars" aria-hidden="true" viewBox="0 0 ${step * days.length} ${height}" preserveAspectRatio="none">
        ${days.map((one, place) => bar(one, place, (count) => (height * count) / most))}
      </svg>
      <p class="sums">${rich('usage.accepted', { n: sum((one) => one.accepted) })}${text('list.comma')}${rich('usage.refused', { n: sum((one) => one.refused) })}; ${rich('usage.last', { day })}</p>
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
