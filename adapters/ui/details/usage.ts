import { html, nothing, type PropertyValues, svg, type TemplateResult } from 'lit'
import type { WireUsageBucket } from '../../client/index.ts'
import { codeOf, isAbsent } from '../calls/client.ts'
import type { DateWriter } from '../format/dates.ts'
import { smallButton } from '../look/controls.ts'
import { Part } from '../part.ts'

/** How many days are shown, today included. */
const shownDays = 30
const dayMs = 86_400_000

/** Height of the chart and width of one day, in its own units. */
const height = 48
const step = 10

/** Refusals that a restriction of the key explains. */
const REASONS = ['network_not_allowed', 'resource_not_allowed'] as const

/** The requests of one key in the last days as bars and in one sentence, as far as the host keeps a history. */
export class KeyUsage extends Part {
  static override properties = { ...Part.properties, of: { attribute: false } }
  /** The id of the key. */
  declare of: string
  /** The days, the oldest first; `null` where there is nothing to say. */
  days: readonly Day[] | 'failed' | null = null
  #reading: AbortController | null = null

  override disconnectedCallback(): void {
    super.disconnectedCallback()
    this.#reading?.abort()
  }

  protected override willUpdate(changed: PropertyValues): void {
    if (changed.has('of')) void this.#load()
  }

  protected override render(): TemplateResult | typeof nothing {
    const { days } = this
    if (days === null) return nothing
    const { rich, text } = this.context.locale
    const failed = html`<p>${text('usage.failed')} ${smallButton(text('err.retry'), () => this.#load())}</p>`
    return html`<section class="usage" aria-labelledby="usage-title">
      <h3 id="usage-title">${rich('usage.title', { n: shownDays })}</h3>
      ${days === 'failed' ? failed : this.#counts(days)}
    </section>`
  }

  #counts(days: readonly Day[]): TemplateResult {
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
      ${REASONS.map((reason) => {
        const n = sum(({ restricted }) => restricted[reason])
        return n > 0
          ? html`<p data-denied=${reason}>${rich(`usage.${reason}`, { n })}</p>`
          : nothing
      })}
    `
  }

  async #load(): Promise<void> {
    this.#reading?.abort()
    const { client, locale, shell, source } = this.context
    const reading = new AbortController()
    this.#reading = reading
    this.show({ days: null })
    if (client.getKeyUsage === undefined) return
    const now = Date.now()
    const dayBefore = locale.dates.endOf(locale.dates.dayIn(-shownDays, now))
    const query = {
      from: new Date(dayBefore + 1).toISOString(),
      to: new Date(now + 1).toISOString(),
    }
    try {
      const options = { signal: reading.signal, ...source.tie }
      const { buckets } = await client.getKeyUsage(this.of, query, options)
      const days = daysIn(buckets, locale.dates)
      if (this.#reading === reading) this.show({ days })
    } catch (error) {
      if (this.#reading !== reading) return
      if (codeOf(error) === 'unauthenticated') shell.expire()
      else this.show({ days: isAbsent(error) ? null : 'failed' })
    }
  }
}

/** The requests of one day. */
interface Day {
  readonly at: string
  accepted: number
  refused: number
  /** How many a restriction of the key has refused, by the reason. */
  readonly restricted: Record<(typeof REASONS)[number], number>
}

/** The last days by the clocks of the viewer, each the sum of the hours that begin in it. */
function daysIn(buckets: readonly WireUsageBucket[], { dayIn }: DateWriter): readonly Day[] {
  const now = Date.now()
  const days = new Map<string, Day>()
  for (let ago = shownDays - 1; ago >= 0; ago -= 1) {
    const restricted = { network_not_allowed: 0, resource_not_allowed: 0 }
    const at = new Date(now - ago * dayMs).toISOString()
    days.set(dayIn(-ago, now), { at, accepted: 0, refused: 0, restricted })
  }
  for (const { startsAt, accepted, denied } of buckets) {
    const day = days.get(dayIn(0, Date.parse(startsAt)))
    if (day === undefined) continue
    day.accepted += accepted
    day.refused += Object.values(denied).reduce((sum, count) => sum + count, 0)
    for (const reason of REASONS) day.restricted[reason] += denied[reason] ?? 0
  }
  return [...days.values()]
}

function bar(day: Day, place: number, tall: (count: number) => number): unknown {
  const accepted = tall(day.accepted)
  const refused = tall(day.refused)
  const x = place * step + 1
  const width = step - 2
  return svg`<rect class="base" x=${x} y=${height - 0.5} width=${width} height="0.5" /><rect
    class="accepted" x=${x} y=${height - accepted} width=${width} height=${accepted} /><rect
    class="refused" x=${x} y=${height - accepted - refused} width=${width} height=${refused} />`
}
