import { repeat } from 'lit/directives/repeat.js'
import { html, nothing, type TemplateResult } from 'lit/html.js'
import { icons } from '../parts/icons.ts'
import type { Tab } from '../state/tab.ts'
import type { Rich } from '../strings/translator.ts'
import type { LazyParts } from './index.ts'
import type { Reveal } from './reveal.ts'
import { copyHint, type Reveals } from './reveals.ts'
import { unrecorded } from './unrecorded.ts'

/** The secrets on screen. They are no dialogs: Escape and backdrops cannot take them away. */
export function banners(tab: Tab, parts: LazyParts): TemplateResult {
  const keep = tab.list.phase === 'session' && parts.reveals.items.length > 0
  return html`
    ${keep ? html`<p class="note warn">${icons.warning}<span>${tab.locale.text('session.keep')}</span></p>` : nothing}
    ${repeat(
      parts.reveals.items,
      ({ id }) => id,
      (reveal) => banner(tab, parts, reveal),
    )}
  `
}

function banner(tab: Tab, parts: LazyParts, reveal: Reveal): TemplateResult {
  const { reveals } = parts
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
      <div class="banner-secret">${secret(tab, reveals, reveal)}${copyButton(tab, reveals, reveal)}</div>
      ${reveal.copyFailed ? refused(tab) : nothing}
      ${reveal.asking ? question(tab, reveals, reveal) : nothing}
      ${parts.firstCall(tab, reveal)}
      <slot name="banner" class="banner-line"></slot>
      <button
        part="dismiss-button"
        class="icon-button banner-close"
        type="button"
        aria-label=${tab.locale.text('dismiss')}
        title=${tab.locale.text('dismiss')}
        @click=${() => reveals.dismiss(reveal)}
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
 */
function secret(tab: Tab, reveals: Reveals, reveal: Reveal): TemplateResult {
  return html`<code
    id="secret-${reveal.id}"
    part="secret"
    class="secret"
    data-secret=${reveal.id}
    tabindex="0"
    dir="ltr"
    role="group"
    ${unrecorded()}
    aria-label=${tab.locale.text('secret.label')}
    @copy=${(event: ClipboardEvent) => reveals.copyByHand(reveal, event)}
    @keydown=${(event: KeyboardEvent) => selectByKeyboard(reveal, event)}
  ></code>`
}

function selectByKeyboard(reveal: Reveal, event: KeyboardEvent): void {
  if (!(event.ctrlKey || event.metaKey) || event.code !== 'KeyA') return
  event.preventDefault()
  reveal.select()
}

function copyButton(tab: Tab, reveals: Reveals, reveal: Reveal): TemplateResult {
  return html`<button
    id="copy-${reveal.id}"
    part="copy-button"
    class="strong copy"
    type="button"
    aria-describedby="banner-body-${reveal.id}"
    @click=${() => reveals.copy(reveal)}
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

function question(tab: Tab, reveals: Reveals, reveal: Reveal): TemplateResult {
  const { locale } = tab
  return html`
    <div class="banner-line question" role="group" aria-labelledby="ask-${reveal.id}">
      <p id="ask-${reveal.id}">${locale.text('dismiss.ask')}</p>
      <div class="row">
        <button
          id="dismiss-copy-${reveal.id}"
          class="strong"
          type="button"
          aria-describedby="ask-${reveal.id}"
          @click=${() => reveals.copyAndDismiss(reveal)}
        >
          ${locale.text('dismiss.copy')}
        </button>
        <button type="button" data-act="dismiss-anyway" @click=${() => reveals.dismiss(reveal, true)}>
          ${locale.text('dismiss.anyway')}
        </button>
      </div>
    </div>
  `
}
