import { html, nothing, svg, type TemplateResult } from 'lit/html.js'
import type { Tab } from '../state/tab.ts'
import type { MessageId } from '../strings/messages.ts'
import { failureLine } from './dialog.ts'
import { icons } from './icons.ts'

/** Active keys against what the plan allows, on top of the list when the plan has a limit. */
export function allowance(tab: Tab): TemplateResult | typeof nothing {
  const { activeKeys: active, activeKeyLimit: limit } = tab.list.plan
  if (limit === null || tab.list.phase !== 'ready' || tab.list.locked) return nothing
  const filled = limit === 0 ? 100 : Math.min(100, (100 * active) / limit)
  return html`
    <div part="allowance" class=${active >= limit ? 'allowance full' : 'allowance'}>
      <span class="sr">${tab.locale.rich('allowance.sr', { active, limit })}</span>
      <span aria-hidden="true" class="allowance-label">${tab.locale.text('allowance.label')}</span>
      <bdi dir="ltr" aria-hidden="true" part="allowance-value" class="number"
        >${tab.locale.rich('allowance.value', { active, limit })}</bdi
      >
      <svg part="allowance-meter" aria-hidden="true" viewBox="0 0 100 4" preserveAspectRatio="none">
        ${svg`<rect class="track" width="100" height="4" /><rect class="fill" width=${filled} height="4" />`}
      </svg>
    </div>
  `
}

/** Everything worth knowing between the banners and the list. */
export function notes(tab: Tab): TemplateResult {
  return html`${offlineNote(tab)}${noticeNote(tab)}${staleNote(tab)}${lockPanel(tab)}${limitNote(tab)}`
}

function offlineNote(tab: Tab): TemplateResult | typeof nothing {
  if (tab.online) return nothing
  return html`<p id="offline-note" class="note warn">${icons.warning}<span>${tab.locale.text('offline')}</span></p>`
}

function noticeNote(tab: Tab): TemplateResult | typeof nothing {
  if (tab.notice === null) return nothing
  return html`
    <p id="notice" class="note" data-note="notice" tabindex="-1">
      ${icons.warning}<span>${failureLine(tab, tab.notice)}</span>
    </p>
  `
}

function staleNote(tab: Tab): TemplateResult | typeof nothing {
  const { list, locale } = tab
  if (!list.stale || list.phase !== 'ready') return nothing
  const time = locale.dates.time(list.loadedAt)
  return html`
    <div class="note warn" data-note="stale">
      ${icons.warning}
      <span>${locale.rich('err.stale', { time })}</span>
      <button type="button" class="small-button" @click=${() => tab.refresh()}>
        ${locale.text('err.retry')}
      </button>
    </div>
  `
}

function lockPanel(tab: Tab): TemplateResult | typeof nothing {
  const { list, locale } = tab
  if (!list.locked) return nothing
  return html`
    <section part="locked" class="lock" aria-labelledby="lock-title">
      <slot name="locked">
        <span class="medal">${icons.lock}</span>
        <div class="grow">
          <div id="lock-title" class="subheading">${locale.text('lock.title')}</div>
          <p class="muted">${locale.text('lock.body')}</p>
          ${list.plan.activeKeys > 0 ? html`<p class="muted">${locale.text('lock.existing')}</p>` : nothing}
        </div>
        ${upgradeLink(tab, 'capability')}
      </slot>
    </section>
  `
}

function limitNote(tab: Tab): TemplateResult | typeof nothing {
  const { list, locale } = tab
  const { activeKeys, activeKeyLimit: limit } = list.plan
  if (!list.limitReached || list.locked || limit === null) return nothing
  const body: MessageId = activeKeys > limit ? 'limit.over' : 'limit.body'
  return html`
    <div class="note limit" data-note="limit">
      ${icons.warning}
      <div class="grow">
        <strong>${locale.text('limit.title')}</strong>
        <p>${locale.rich(body, { n: limit })}</p>
      </div>
      ${upgradeLink(tab, 'limit')}
    </div>
  `
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
