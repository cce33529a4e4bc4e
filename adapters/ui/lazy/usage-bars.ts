import { html, nothing, svg, type TemplateResult } from 'lit'
import type { WireUsageBucket } from '../../client/index.ts'
import { smallButton } from '../parts/controls.ts'
import type { Tab } from '../state/tab.ts'
import { type KeyUsage, refusedOf, shownDays } from './key-usage.ts'

/** Height of the chart and width of one day, in its own units. */
const height = 40
const step = 10

/** Refusals that a restriction of the key explains. */
const REASONS = ['network_not_allowed', 'resource_not_allowed'] as const

/** The requests of the last 30 days: as bars, in two sums, and day by day in words. */
export function usageSection(
  tab: Tab,
  usage: KeyUsage,
  again: () => unknown,
): TemplateResult | typeof nothing {
  if (usage.phase === 'absent') return nothing
  const { locale } = tab
  return html`
    <section class="stack usage" aria-labelledby="usage-title">
      <h3 id="usage-title" class="muted small">${locale.rich('usage.title', { n: shownDays })}</h3>
      ${
        usage.phase === 'ready'
          ? counts(tab, usage)
          : html`<div class="row">
              <p class="grow">${locale.text('usage.failed')}</p>
              ${smallButton(locale.text('err.retry'), again)}
            </div>`
      }
    </section>
  `
}

function counts(tab: Tab, usage: KeyUsage): TemplateResult {
  const { locale } = tab
  const { accepted, buckets: days } = usage
  const refused = days.reduce((sum, day) => sum + refusedOf(day), 0)
  if (accepted + refused === 0) return html`<p>${locale.rich('usage.none', { n: shownDays })}</p>`
  return html`
    ${chart(tab, usage)}
    <p class="row small">
      <span class="row">${swatch('accepted')}<span>${locale.rich('usage.accepted', { n: accepted })}</span></span>
      <span class="row">${swatch('refused')}<span>${locale.rich('usage.refused', { n: refused })}</span></span>
    </p>
    ${REASONS.map((reason) => {
      const n = days.reduce((sum, { denied }) => sum + (denied[reason] ?? 0), 0)
      return n > 0
        ? html`<p class="small" data-denied=${reason}>${locale.rich(`usage.${reason}`, { n })}</p>`
        : nothing
    })}
    <details>
      <summary class="fold">${locale.text('usage.days')}</summary>
      <ol class="small">
        ${days.map((day) => dayLine(tab, day))}
      </ol>
    </details>
  `
}

/** The days as bars. Their values are in the list below. */
function chart({ locale }: Tab, { buckets: days }: KeyUsage): TemplateResult {
  const most = Math.max(...days.map((day) => day.accepted + refusedOf(day)))
  const day = (bucket: WireUsageBucket | undefined) =>
    bucket ? locale.dates.day(bucket.startsAt) : ''
  return html`<div class="chart small">
    <svg class="bars" aria-hidden="true" viewBox="0 0 ${step * days.length} ${height}" preserveAspectRatio="none">
      ${days.map((one, place) => bar(one, place, (count) => (height * count) / most))}
    </svg>
    <div class="axis muted"><span>${day(days[0])}</span><span>${day(days.at(-1))}</span></div>
  </div>`
}

function bar(day: WireUsageBucket, place: number, tall: (count: number) => number): unknown {
  const accepted = tall(day.accepted)
  const refused = tall(refusedOf(day))
  const x = place * step + 1
  const width = step - 2
  return svg`<rect class="base" x=${x} y=${height - 0.5} width=${width} height="0.5" /><rect
    class="accepted" x=${x} y=${height - accepted} width=${width} height=${accepted} /><rect
    class="refused" x=${x} y=${height - accepted - refused} width=${width} height=${refused} />`
}

function swatch(kind: 'accepted' | 'refused'): TemplateResult {
  return html`<svg class="swatch" aria-hidden="true" viewBox="0 0 1 1">
    ${svg`<rect class=${kind} width="1" height="1" />`}
  </svg>`
}

function dayLine(tab: Tab, day: WireUsageBucket): TemplateResult | typeof nothing {
  return day.accepted + refusedOf(day) === 0 ? nothing : html`<li>${dayWords(tab, day)}</li>`
}

/** A day and its requests. */
function dayWords({ locale }: Tab, day: WireUsageBucket): TemplateResult {
  const refused = refusedOf(day)
  return html`<span class="muted">${locale.dates.day(day.startsAt)}:</span>
    ${locale.rich('usage.accepted', { n: day.accepted })}${
      refused > 0
        ? html`<span class="refusals">, ${locale.rich('usage.refused', { n: refused })}</span>`
        : nothing
    }`
}
