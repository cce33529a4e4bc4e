import { html, nothing, type TemplateResult } from 'lit'
import { isOver } from '../state/failure.ts'
import type { Tab } from '../state/tab.ts'
import { failureLine } from './dialog.ts'
import { newKeyButton, offersFirstKey, subheading } from './header.ts'
import { icons } from './icons.ts'

/** Rows that stand in for the list until it is there, of the shape of real ones. */
export function skeleton({ list, locale }: Tab): TemplateResult {
  const row = html`<div class="skeleton-row"><i></i><i></i><i></i><i></i><i></i><i></i><i></i></div>`
  return html`
    <p class="sr">${locale.text('loading')}</p>
    <div part="skeleton" class="skeleton" aria-hidden="true">${row}${row}${row}</div>
    ${list.slow ? html`<p class="muted center" data-note="slow">${locale.text('loading.slow')}</p>` : nothing}
  `
}

/** There are no keys yet. Never shown for a list that could not be loaded. */
export function emptyPanel(tab: Tab): TemplateResult | typeof nothing {
  const { list, locale } = tab
  // The lock says all there is to say.
  if (list.locked) return nothing
  return html`
    <div part="empty" class="panel">
      <slot name="empty">
        <span class="medal">${icons.key}</span>
        ${subheading(tab, locale.text('empty.title'))}
        ${offersFirstKey(tab) ? html`${firstSteps(tab)}${newKeyButton(tab)}` : nothing}
      </slot>
    </div>
  `
}

function firstSteps({ catalogue, locale }: Tab): TemplateResult {
  return html`<ol class="stack steps">
    <li>${locale.text('empty.create')}</li>
    <li>${locale.text('empty.copy')}</li>
    <li>${locale.text('empty.call')} <code dir="ltr">Authorization: Bearer ${catalogue.brand ? `${catalogue.brand}_test_` : ''}…</code></li>
  </ol>`
}

/** Loads again what could not be loaded. */
export function retryButton(tab: Tab): TemplateResult {
  return html`<button id="retry" type="button" class="small-button" @click=${() => tab.retry()}>
    ${tab.locale.text('err.retry')}
  </button>`
}

/** A longer reference is not one that people read out to support. */
const longestReference = 100

/** The list could not be loaded. */
export function errorPanel(tab: Tab): TemplateResult {
  const { list, locale } = tab
  const id = list.requestId
  return html`
    <div part="error-message" class="panel" role="alert">
      <span class="medal warn">${icons.warning}</span>
      ${subheading(tab, locale.text('err.title'))}
      <p class="muted">${list.wait === null ? locale.text('err.body') : isOver(list.wait) ? nothing : failureLine(tab, list.wait)}</p>
      ${retryButton(tab)}
      ${id === null ? nothing : html`<p class="muted small">${locale.rich('err.ref', { ref: id.slice(0, longestReference) })}</p>`}
    </div>
  `
}

/** The user may not manage keys. */
export function forbiddenPanel(tab: Tab): TemplateResult {
  return html`
    <div class="panel" part="forbidden">
      <span class="medal">${icons.lock}</span>
      ${subheading(tab, tab.locale.text('forbidden.title'))}
      <p class="muted">${tab.locale.text('forbidden.body')}</p>
    </div>
  `
}

/** The user must sign in again. */
export function sessionPanel(tab: Tab): TemplateResult {
  const { locale, settings } = tab
  const signIn = (event: Event) => tab.signIn(event)
  return html`
    <div id="session-panel" class="panel" part="session" tabindex="-1">
      <span class="medal">${icons.user}</span>
      ${subheading(tab, locale.text('session.title'))}
      <p class="muted">${locale.text('session.body')}</p>
      ${
        settings.loginUrl
          ? html`<a class="button primary" href=${settings.loginUrl} @click=${signIn}>${locale.text('session.cta')}</a>`
          : html`<button type="button" class="primary" @click=${signIn}>${locale.text('session.cta')}</button>`
      }
    </div>
  `
}
