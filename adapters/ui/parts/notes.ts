import { html, nothing, svg, type TemplateResult } from 'lit'
import { actions, isOver } from '../state/failure.ts'
import { places } from '../state/places.ts'
import type { Tab } from '../state/tab.ts'
import { smallButton } from './controls.ts'
import { closeButton, failureLine } from './dialog.ts'
import { icons } from './icons.ts'
import { retryButton } from './panels.ts'

/**
 * Active keys against what the plan allows, on top of the list when the plan has a limit. Where no more
 * keys can be made, it says so, with a way to the upgrade.
 */
export function allowance(tab: Tab): TemplateResult | typeof nothing {
  const { list, locale } = tab
  const { activeKeys: active, activeKeyLimit: limit } = list.plan
  if (limit === null || list.phase !== 'ready' || list.locked) return nothing
  const filled = limit === 0 ? 100 : Math.min(100, (100 * active) / limit)
  return html`
    <div part="allowance" class=${list.limitReached ? 'allowance note warn' : 'allowance'}>
      <span class="muted">${locale.text('allowance.label')}</span>
      <span part="allowance-value" class="number">${locale.rich('allowance.value', { active, limit })}</span>
      <svg part="allowance-meter" aria-hidden="true" viewBox="0 0 100 4" preserveAspectRatio="none">
        ${svg`<rect class="track" width="100" height="4" /><rect class="fill" width=${filled} height="4" />`}
      </svg>
      ${list.limitReached ? limitReached(tab, active > limit) : nothing}
    </div>
  `
}

function limitReached(tab: Tab, over: boolean): TemplateResult {
  const { locale, refused } = tab
  return html`<span id="limit-title" class="grow" data-note="limit"
      >${locale.text(over ? 'limit.over' : 'limit.title')}${over || refused.has('create') ? nothing : html` ${locale.text('limit.body')}`}</span
    >${upgradeLink(tab, 'limit')}`
}

/** Everything worth knowing between the banners and the list. */
export function notes(tab: Tab): TemplateResult {
  return html`${noticeNote(tab)}${staleNote(tab)}${lockPanel(tab)}${readOnlyNote(tab)}`
}

function noticeNote(tab: Tab): TemplateResult | typeof nothing {
  const { notice } = tab
  if (notice === null || isOver(notice)) return nothing
  const close = () => {
    tab.notify(null)
    tab.focusOn(...places.top)
  }
  return html`
    <div id="notice" class="note" data-note="notice" tabindex="-1">
      ${icons.warning}<p class="grow">${failureLine(tab, notice)}</p>${notice.again ? againButton(tab, notice.again) : nothing}${closeButton(tab, close)}
    </div>
  `
}

function againButton(tab: Tab, again: () => unknown): TemplateResult {
  const run = () => {
    tab.notify(null)
    again()
  }
  return smallButton(tab.locale.text('err.retry'), run, 'again')
}

function staleNote(tab: Tab): TemplateResult | typeof nothing {
  const { list, locale, view } = tab
  // Where nothing was found, the list itself says that a part of it is missing.
  const isSaid = view.looking && view.rows.length === 0
  if (!list.stale || list.phase !== 'ready' || isSaid) return nothing
  const time = locale.dates.time(list.loadedAt)
  return html`
    <div class="note warn" data-note="stale">
      ${icons.warning}
      <span>${locale.rich('err.stale', { time })}</span>
      ${retryButton(tab)}
    </div>
  `
}

function lockPanel(tab: Tab): TemplateResult | typeof nothing {
  const { list, locale } = tab
  if (!list.locked) return nothing
  return html`
    <section part="locked" class="lock" aria-labelledby="lock-title">
      <span class="medal">${icons.lock}</span>
      <div class="grow">
        <div id="lock-title" class="subheading">${locale.text('lock.title')}</div>
        <p class="muted">${locale.text('lock.body')}${list.keys.length > 0 ? html` ${locale.text('lock.existing')}` : nothing}</p>
      </div>
      ${upgradeLink(tab, 'capability')}
    </section>
  `
}

/** The user may look at the keys, and do nothing with them. */
function readOnlyNote({ list, locale, refused }: Tab): TemplateResult | typeof nothing {
  if (list.phase !== 'ready' || list.locked || refused.size < actions.length) return nothing
  return html`<p class="note" data-note="read-only">${icons.lock}<span>${locale.text('forbidden.title')}. ${locale.text('forbidden.body')}</span></p>`
}

function upgradeLink(tab: Tab, reason: 'capability' | 'limit'): TemplateResult {
  return html`<a
    part=${reason === 'capability' ? 'upgrade-link primary-button' : 'upgrade-link secondary-button'}
    class=${reason === 'capability' ? 'button primary' : 'button'}
    href=${tab.settings.upgradeUrl}
    @click=${(event: Event) => tab.upgrade(event, reason)}
    >${tab.locale.text('lock.cta')}</a
  >`
}
