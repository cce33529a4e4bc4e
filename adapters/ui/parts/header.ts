import { html, nothing, type TemplateResult } from 'lit/html.js'
import type { Tab } from '../state/tab.ts'
import { icons } from './icons.ts'

/** Title, introduction and New key. */
export function header(tab: Tab): TemplateResult {
  return html`
    <header part="header" class="header">
      <div class="titles">
        ${tab.settings.hideHeading ? nothing : heading(tab)}
        <p part="intro" class="muted">
          <slot name="intro">${tab.locale.text('intro')} ${docsLink(tab)}</slot>
        </p>
      </div>
      ${tab.settings.readonly || tab.list.phase === 'forbidden' ? nothing : actions(tab)}
    </header>
  `
}

/** A heading of a level below the title of the tab. */
export function subheading(tab: Tab, text: string | TemplateResult): TemplateResult {
  const level = Math.min(tab.settings.headingLevel + 1, 6)
  return html`<div class="subheading" role="heading" aria-level=${level}>${text}</div>`
}

function heading(tab: Tab): TemplateResult {
  return html`<div id="title" part="title" role="heading" aria-level=${tab.settings.headingLevel} tabindex="-1">
    <slot name="heading">${tab.locale.text('title')}</slot>
  </div>`
}

function docsLink(tab: Tab): TemplateResult | typeof nothing {
  if (!tab.settings.docsUrl) return nothing
  return html`<a href=${tab.settings.docsUrl}>${tab.locale.text('docs')}</a>`
}

function actions(tab: Tab): TemplateResult {
  const reason = tab.creationBlock?.reason
  return html`
    <div class="header-actions">
      <div class="row">
        <slot name="actions"></slot>
        ${newKeyButton(tab, 'new-key')}
      </div>
      ${reason ? html`<p id="new-reason" class="muted small">${tab.locale.text(reason)}</p>` : nothing}
    </div>
  `
}

/** The button that opens the create dialog. It stays focusable when off, so that it can say why. */
export function newKeyButton(tab: Tab, id: string): TemplateResult {
  const block = tab.creationBlock
  const describedBy = block?.reason ? 'new-reason' : tab.online ? nothing : 'offline-note'
  return html`<button
    id=${id}
    part="new-button primary-button"
    class="primary"
    type="button"
    aria-haspopup="dialog"
    aria-disabled=${block ? 'true' : nothing}
    aria-describedby=${describedBy}
    @click=${() => tab.openCreate()}
  >
    ${icons.plus}${tab.locale.text('new')}
  </button>`
}
