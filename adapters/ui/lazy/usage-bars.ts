import { html, nothing, svg, type TemplateResult } from 'lit'
import type { WireUsageBucket } from '../../client/index.ts'
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
    <section class="usage" aria-labelledby="usage-title">
      <h3 id="usage-title" class="muted small">${locale.rich('usage.title', { n: shownDays })}</h3>
      ${
        usage.phase === 'ready'
          ? counts(tab, usage)
          : html`<div class="row">
              <p class="grow">${locale.text('usage.failed')}</p>
              <button type="button" class="small-button" @click=${again}>${locale.text('err.retry')}</button>
            </div>`
      }
    </section>
  `
}

function counts(tab: Tab, { accepted, buckets: days }: KeyUsage): TemplateResult {
  const { locale } = tab
  const refused = days.reduce((sum, day) => sum + refusedOf(day), 0)
  if (accepted + refused === 0) return html`<p>${locale.rich('usage.none', { n: shownDays })}</p>`
  return html`
    ${bars(days)}
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

// Said in words below; the picture adds nothing to them.
function bars(days: readonly WireUsageBucket[]): TemplateResult {
  const most = Math.max(...days.map((day) => day.accepted + refusedOf(day)))
  return html`<svg
    class="bars"
    aria-hidden="true"
    viewBox="0 0 ${step * days.length} ${height}"
    preserveAspectRatio="none"
  >
    ${days.map((day, at) => bar(day, at, (count) => (height * count) / most))}
  </svg>`
}

function bar(day: WireUsageBucket, at: number, tall: (count: number) => number): unknown {
  const accepted = tall(day.accepted)
  const refused = tall(refusedOf(day))
  const x = at * step + 1
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

function dayLine({ locale }: Tab, day: WireUsageBucket): TemplateResult | typeof nothing {
  const refused = refusedOf(day)
  if (day.accepted + refused === 0) return nothing
  return html`<li>
    <span class="muted">${locale.dates.day(day.startsAt)}:</span>
    ${locale.rich('usage.accepted', { n: day.accepted })}${
      refused > 0
        ? html`<span class="refusals">, ${locale.rich('usage.refused', { n: refused })}</span>`
        : nothing
    }
  </li>`
}
