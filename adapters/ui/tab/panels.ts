import { html, nothing, type TemplateResult } from 'lit'
import { actions, failureLine } from '../calls/failure.ts'
import type { Context } from '../context.ts'
import { closeButton, flag, icons, note, places, upgradeLink } from '../look/controls.ts'

export function header(context: Context): TemplateResult {
  const { list, locale, settings } = context
  const { docsUrl, headingLevel, hideHeading, readonly } = settings
  const { text } = locale
  const acts = !(readonly || list.phase === 'forbidden' || offersFirstKey(context))
  return html`
    <header part="header" class="header">
      ${hideHeading ? nothing : html`<div id="title" part="title" role="heading" aria-level=${headingLevel} tabindex="-1">${text('title')}</div>`}
      ${acts ? newKeyButton(context) : nothing}
      <p part="intro" class="muted intro">${text('intro')} ${docsUrl ? html`<a href=${docsUrl}>${text('docs')}</a>` : nothing}</p>
    </header>
  `
}

/** Whether the empty list holds the one New key button. */
function offersFirstKey({ list, may, settings }: Context): boolean {
  return list.isEmpty && !(list.locked || settings.readonly || !may('create'))
}

/** The button that opens the create dialog. It stays focusable when off, so that it can say why. */
function newKeyButton({ block, locale, may, shell, waiting }: Context) {
  if (!may('create')) return nothing
  return html`<button id="new-key" part="new-button primary-button" class="primary" type="button"
      aria-haspopup="dialog" aria-busy=${flag(waiting)} aria-disabled=${flag(block)}
      aria-describedby=${block?.reason ?? nothing} @click=${() => shell.create()}>
    ${icons.plus}${locale.text('new')}
  </button>`
}

/** Everything worth knowing between the banners and the list. */
export function notes(context: Context): unknown {
  const { list, locale, may, notice, shell } = context
  const { rich, text } = locale
  const isReady = list.phase === 'ready'
  const close = () => {
    shell.notify(null)
    shell.focusOn(...places.top)
  }
  const time = locale.dates.time(list.loadedAt)
  const stale = list.keys.length > 0 ? rich('err.stale', { time }) : text('err.title')
  // The user may look at the keys, and do nothing with them.
  const looksOnly = isReady && !list.locked && !actions.some(may)
  return [
    notice &&
      note('notice', icons.warning, failureLine(locale, notice), {
        action: closeButton(locale, close),
      }),
    list.stale && isReady && note('stale', icons.warning, stale, { action: retryButton(context) }),
    list.locked && lockPanel(context),
    looksOnly &&
      note('read-only', icons.lock, `${text('forbidden.title')}. ${text('forbidden.body')}`),
  ].map((one) => one || nothing)
}

function lockPanel(context: Context): TemplateResult {
  const { list, locale } = context
  const { text } = locale
  return html`
    <section part="locked" class="panel lock" aria-labelledby="lock-title">
      ${icons.lock}
      <div class="grow">
        <div id="lock-title" class="subheading">${text('lock.title')}</div>
        <p class="muted">${text('lock.body')}${list.keys.length > 0 ? html` ${text('lock.existing')}` : nothing}</p>
      </div>
      ${upgradeLink(context, 'capability', text('lock.cta'))}
    </section>
  `
}

function retryButton({ locale, shell }: Context): TemplateResult {
  return html`<button id="retry" type="button" class="small-button" @click=${() => shell.reload(true)}>${locale.text('err.retry')}</button>`
}

/** What stands in the place of the table; `null` where that is to be drawn. */
export function panel(context: Context): TemplateResult | typeof nothing | null {
  const { isEmpty, locked, phase } = context.list
  if (phase !== 'ready') return PANELS[phase](context)
  if (!isEmpty) return null
  // The lock says all there is to say.
  return locked ? nothing : emptyPanel(context)
}

const PANELS = {
  loading: skeleton,
  error: errorPanel,
  forbidden: forbiddenPanel,
  session: sessionPanel,
}

/** Rows that stand in for the list until it is there, of the shape of real ones. */
function skeleton({ list, locale }: Context): TemplateResult {
  const { text } = locale
  const row = html`<div class="skeleton-row"><i></i><i></i><i></i><i></i></div>`
  return html`
    <p class="sr">${text('loading')}</p>
    <div part="skeleton" class="skeleton" aria-hidden="true">${row}${row}${row}</div>
    ${list.slow ? html`<p class="muted center" data-note="slow">${text('loading.slow')}</p>` : nothing}
  `
}

/** An icon, and a heading of a level below the title of the tab. */
function heading({ settings }: Context, icon: TemplateResult, text: string): TemplateResult {
  const level = Math.min(settings.headingLevel + 1, 6)
  return html`${icon}<div class="subheading" role="heading" aria-level=${level}>${text}</div>`
}

/** There are no keys yet. Never shown for a list that could not be loaded. */
function emptyPanel(context: Context): TemplateResult {
  const { catalogue, locale } = context
  const { text } = locale
  const brand = catalogue.brand && `${catalogue.brand}_test_`
  return html`
    <div part="empty" class="panel">
      <slot name="empty">
        ${heading(context, icons.key, text('empty.title'))}
        ${
          offersFirstKey(context)
            ? html`<ol class="steps">
                <li>${text('empty.create')}</li>
                <li>${text('empty.copy')}</li>
                <li>${text('empty.call')} <code><bdi dir="ltr">Authorization: Bearer ${brand}…</bdi></code></li>
              </ol>
              ${newKeyButton(context)}`
            : nothing
        }
      </slot>
    </div>
  `
}

/** A longer reference is not one that people read out to support. */
const longestReference = 100

function errorPanel(context: Context): TemplateResult {
  const { list, locale } = context
  const ref = list.requestId?.slice(0, longestReference)
  return html`
    <div part="error-message" class="panel" role="alert">
      ${heading(context, icons.warning, locale.text('err.title'))}
      <p class="muted">${list.wait === null ? locale.text('err.body') : failureLine(locale, list.wait)}</p>
      ${retryButton(context)}
      ${ref ? html`<p class="muted small">${locale.rich('err.ref', { ref })}</p>` : nothing}
    </div>
  `
}

function forbiddenPanel(context: Context): TemplateResult {
  const { text } = context.locale
  return html`<div class="panel">
    ${heading(context, icons.lock, text('forbidden.title'))}
    <p class="muted">${text('forbidden.body')}</p>
  </div>`
}

/** The user must sign in, or sign in again; without an address for that, the page is loaded again. */
function sessionPanel(context: Context): TemplateResult {
  const { list, locale, settings, shell } = context
  const { text } = locale
  const signIn = (event: Event) =>
    shell.emit('session-expired', { trigger: 'sign-in' }) || event.preventDefault()
  return html`
    <div id="session-panel" class="panel" tabindex="-1">
      ${heading(context, icons.user, text(list.wasSignedIn ? 'session.title' : 'session.first'))}
      ${list.wasSignedIn ? html`<p class="muted">${text('session.body')}</p>` : nothing}
      <a part="primary-button" class="button primary" href=${settings.loginUrl} @click=${signIn}>${text('session.cta')}</a>
    </div>
  `
}
