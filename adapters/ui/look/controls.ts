import { html, nothing, type TemplateResult } from 'lit'
import type { Context } from '../context.ts'
import type { Locale } from '../format/locale.ts'
import { drawable } from '../format/text.ts'
import { icons } from './icons.ts'

/** The value of an ARIA attribute that is left out where it is not true. */
export function flag(on: unknown): 'true' | typeof nothing {
  return on ? 'true' : nothing
}

/** A handler that takes what was typed or chosen. */
export function typed(use: (text: string) => unknown): (event: Event) => unknown {
  return ({ target }) => use((target as HTMLInputElement).value)
}

/** An id, a prefix or a scope: Latin, whatever the language. */
export function code(text: string): TemplateResult {
  return html`<code translate="no"><bdi dir="ltr">${drawable(text)}</bdi></code>`
}

/** Several ids or networks, one a line. They are Latin, whatever the language. */
export function lines(
  id: string,
  label: string,
  value: string,
  edit: (text: string) => void,
  invalid?: unknown,
): TemplateResult {
  return html`<textarea id=${id} rows="3" dir="ltr" autocomplete="off" spellcheck="false"
    aria-label=${label} aria-describedby="${id}-error ${id}-hint" aria-invalid=${flag(invalid)}
    .value=${value} @input=${typed(edit)}></textarea>`
}

export function smallButton(words: unknown, run: () => unknown, act?: string): TemplateResult {
  return html`<button type="button" class="small-button" data-act=${act ?? nothing} @click=${run}>${words}</button>`
}

/** A line with an icon; an alert says that something went wrong. */
export function note(
  mark: string,
  icon: TemplateResult,
  words: unknown,
  { action, alert }: { readonly action?: unknown; readonly alert?: string } = {},
): TemplateResult {
  return html`<div id=${mark} class="note ${alert ?? ''}" data-note=${mark} role=${alert ? 'alert' : nothing} tabindex="-1"
      part=${alert === 'bad' ? 'error-message' : nothing}>
    ${icon}<p class="grow">${words}</p>${action || nothing}
  </div>`
}

/** Where the plan is changed: a button where there is no API access, a word in the line of the limit. */
export function upgradeLink(
  { settings, shell }: Context,
  reason: 'capability' | 'limit',
  words: string,
): TemplateResult {
  const isButton = reason === 'capability'
  const upgrade = (event: Event) => shell.emit('upgrade', { reason }) || event.preventDefault()
  return html`<a part="upgrade-link ${isButton ? 'primary-button' : ''}" class=${isButton ? 'button primary' : ''}
    href=${settings.upgradeUrl} @click=${upgrade}>${words}</a>`
}

export function closeButton(locale: Locale, close: () => void, busy = false): TemplateResult {
  return html`<button type="button" class="icon-button" aria-label=${locale.text('close')}
      ?disabled=${busy} @click=${close}>
    ${icons.close}
  </button>`
}

/** Selectors of the places that the focus goes to. */
export const places = {
  newKey: '#new-key',
  alert: 'dialog[open] [role=alert]',
  notice: '#notice',
  retry: '#retry',
  search: '#search',
  ended: '#ended',
  filter: '#filter',
  /** Where the focus goes when nothing nearer is left. */
  top: ['#title', '#root'],
  row: (id: string) => `[data-row="${CSS.escape(id)}"]`,
}
