import { html, nothing, type TemplateResult } from 'lit'
import type { Tab } from '../state/tab.ts'
import { flag } from './controls.ts'
import { icons } from './icons.ts'

/** Title, introduction and New key. */
export function header(tab: Tab): TemplateResult {
  return html`
    <header part="header" class="header">
      <div class="titles">
        ${tab.settings.hideHeading ? nothing : heading(tab)}
        <p part="intro" class="muted">
          ${tab.locale.text('intro')} ${docsLink(tab)}
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
    ${tab.locale.text('title')}
  </div>`
}

function docsLink(tab: Tab): TemplateResult | typeof nothing {
  if (!tab.settings.docsUrl) return nothing
  return html`<a href=${tab.settings.docsUrl}>${tab.locale.text('docs')}</a>`
}

function actions(tab: Tab): TemplateResult {
  return html`
    <div class="row header-actions">
      ${offersFirstKey(tab) ? nothing : newKeyButton(tab)}
    </div>
  `
}

/** Whether the empty list holds the one New key button. */
export function offersFirstKey({ list, refused, settings }: Tab): boolean {
  const empty = list.phase === 'ready' && list.keys.length === 0
  return empty && !(list.locked || settings.readonly || refused.has('create'))
}

/** The button that opens the create dialog. It stays focusable when off, so that it can say why. */
export function newKeyButton(tab: Tab): TemplateResult | typeof nothing {
  const block = tab.creationBlock
  if (tab.refused.has('create')) return nothing
  return html`<button
    id="new-key"
    part="new-button primary-button"
    class="primary"
    type="button"
    aria-haspopup="dialog"
    aria-busy=${flag(tab.lazy.waiting === 'create')}
    aria-disabled=${flag(block)}
    aria-describedby=${block?.reason ?? nothing}
    @click=${() => tab.openCreate()}
  >
    ${icons.plus}${tab.locale.text('new')}
  </button>`
}
