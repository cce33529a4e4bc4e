import { html, nothing, type TemplateResult } from 'lit'
import { repeat } from 'lit/directives/repeat.js'
import { icons } from '../parts/icons.ts'
import type { Tab } from '../state/tab.ts'
import type { Rich } from '../strings/translator.ts'
import { firstCall } from './first-call.ts'
import type { Reveal } from './reveal.ts'
import { copyHint } from './reveals.ts'

/** The secrets on screen. They are no dialogs: Escape and backdrops cannot take them away. */
export function banners(tab: Tab): TemplateResult {
  const { items } = tab.parts.reveals
  const keep = tab.list.phase === 'session' && items.length > 0
  return html`
    ${keep ? html`<p class="note warn">${icons.warning}<span>${tab.locale.text('session.keep')}</span></p>` : nothing}
    ${repeat(
      items,
      ({ id }) => id,
      (reveal) => banner(tab, reveal),
    )}
  `
}

function banner(tab: Tab, reveal: Reveal): TemplateResult {
  const { id, kind, key } = reveal
  const title = kind === 'created' ? 'created.title' : 'rotated.title'
  return html`
    <section part="banner banner-${kind}" class="banner ${kind} ${reveal.used ? 'calm' : ''}" aria-labelledby="banner-${id}">
      <span class="banner-icon">${kind === 'created' ? icons.key : icons.rotate}</span>
      <div class="banner-text">
        <div id="banner-${id}" class="banner-title">${tab.locale.rich(title, { name: (reveal.former ?? key).name })}</div>
        <p id="banner-body-${id}">${advice(tab, reveal)}</p>
      </div>
      ${reveal.source.matches(tab.source) ? nothing : former(tab)}
      <div class="row banner-secret">${secret(tab, reveal)}${copyButton(tab, reveal)}</div>
      ${reveal.copyFailed ? refused(tab) : nothing}
      ${reveal.asking ? question(tab, reveal) : nothing}
      ${firstCall(tab, reveal)}
      <slot name="banner" class="banner-line"></slot>
      <button
        part="dismiss-button"
        class="icon-button banner-close"
        type="button"
        aria-label=${tab.locale.text('dismiss')}
        title=${tab.locale.text('dismiss')}
        @click=${() => tab.parts.reveals.dismiss(reveal)}
      >
        ${icons.close}
      </button>
    </section>
  `
}

function advice({ locale }: Tab, { kind, former }: Reveal): string | Rich {
  if (kind === 'created') return locale.text('created.body')
  const until = former?.retiresAt ?? null
  return until === null
    ? locale.text('rotated.body')
    : locale.rich('rotated.overlap', { date: locale.dates.moment(until) })
}

/*
 * A <code>, not an <input>: browsers restore inputs on reload, and password managers and enhanced
 * spell checks read them. The model writes the text there, so that no template or attribute ever holds it.
 * Its marks make session replay, translation and spell checks skip it.
 */
function secret(tab: Tab, reveal: Reveal): TemplateResult {
  return html`<code
    id="secret-${reveal.id}"
    part="secret"
    class="secret ph-no-capture fs-exclude sentry-block clarity-mask rr-block"
    data-secret=${reveal.id}
    data-sentry-block
    data-private
    data-dd-privacy="hidden"
    data-clarity-mask="true"
    data-hj-suppress
    translate="no"
    spellcheck="false"
    tabindex="0"
    dir="ltr"
    role="group"
    aria-label=${tab.locale.text('secret.label')}
    @copy=${(event: ClipboardEvent) => tab.parts.reveals.copyByHand(reveal, event)}
    @keydown=${(event: KeyboardEvent) => selectByKeyboard(reveal, event)}
  ></code>`
}

function selectByKeyboard(reveal: Reveal, event: KeyboardEvent): void {
  if (!(event.ctrlKey || event.metaKey) || event.code !== 'KeyA') return
  event.preventDefault()
  reveal.select()
}

function copyButton(tab: Tab, reveal: Reveal): TemplateResult {
  return html`<button
    id="copy-${reveal.id}"
    part="copy-button"
    class="strong copy"
    type="button"
    aria-describedby="banner-body-${reveal.id}"
    @click=${() => tab.parts.reveals.copy(reveal)}
  >
    ${reveal.fresh === 'key' ? icons.check : icons.copy}${tab.locale.text(reveal.fresh === 'key' ? 'copied' : 'copy')}
  </button>`
}

/** The list shows keys of another place than the one that this key is of. */
function former(tab: Tab): TemplateResult {
  return html`<p class="banner-line" data-note="former">${tab.locale.text('banner.former')}</p>`
}

function refused(tab: Tab): TemplateResult {
  const { id, shortcut } = copyHint()
  return html`<p class="banner-line" data-note="copy-failed">${tab.locale.rich(id, { shortcut })}</p>`
}

function question({ locale, parts }: Tab, reveal: Reveal): TemplateResult {
  return html`
    <div class="banner-line row question" role="group" aria-labelledby="ask-${reveal.id}">
      <p id="ask-${reveal.id}">${locale.text('dismiss.ask')}</p>
      <div class="row">
        <button
          id="dismiss-copy-${reveal.id}"
          class="strong"
          type="button"
          aria-describedby="ask-${reveal.id}"
          @click=${() => parts.reveals.copyAndDismiss(reveal)}
        >
          ${locale.text('dismiss.copy')}
        </button>
        <button type="button" data-act="dismiss-anyway" @click=${() => parts.reveals.dismiss(reveal, true)}>
          ${locale.text('dismiss.anyway')}
        </button>
      </div>
    </div>
  `
}
