import { html, nothing, type TemplateResult } from 'lit'
import type { Context } from '../context.ts'
import type { Locale } from '../format/locale.ts'
import { drawable } from '../format/text.ts'

/** The value of an ARIA attribute that is left out where it is not true. */
export function flag(on: unknown): 'true' | typeof nothing {
  return on ? 'true' : nothing
}

/** A handler that takes what was typed or chosen. */
export function typed(use: (text: string) => unknown): (event: Event) => unknown {
  return ({ target }) => use((target as HTMLInputElement).value)
}

// The server is not queried at every keystroke.
const typingMs = 250

/** Does something once the typing has paused. */
export function paused(run: () => unknown): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  return () => {
    clearTimeout(timer)
    timer = setTimeout(run, typingMs)
  }
}

/** A field to search with. Enter in it sends no form. */
export function searchField(
  { settings }: Locale,
  of: {
    readonly id?: string
    readonly label: string
    readonly hint?: string
    readonly text: string
    readonly look: (text: string) => unknown
  },
): TemplateResult {
  const { id, label, hint = label, text, look } = of
  return html`<input id=${id ?? nothing} type="search" aria-label=${label} placeholder=${hint}
    dir=${text ? 'auto' : settings.dir} autocomplete="off" maxlength="120" .value=${text}
    @input=${typed(look)}
    @keydown=${(event: KeyboardEvent) => event.key === 'Enter' && event.preventDefault()} />`
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
  return html`<div id=${alert ? nothing : mark} class="note ${alert ?? ''}" data-note=${mark} role=${alert ? 'alert' : nothing} tabindex="-1"
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

// Drawn here rather than taken from a font, which may lack them.
function icon(path: string): TemplateResult {
  return html`<svg class="icon" viewBox="0 0 20 20" aria-hidden="true"><path d=${path} /></svg>`
}

/** The icons of the tab. They are decoration: the words beside them say the same. */
export const icons = {
  plus: icon('M10 4v12M4 10h12'),
  key: icon('M10.5 13a3.5 3.5 0 1 1-7 0 3.5 3.5 0 0 1 7 0M9.5 10.5l7-7M13 7l2.5 2.5'),
  lock: icon(
    'M6 9h8a2 2 0 0 1 2 2v4a2 2 0 0 1-2 2H6a2 2 0 0 1-2-2v-4a2 2 0 0 1 2-2M7 9V6.5a3 3 0 0 1 6 0V9',
  ),
  search: icon('M14.5 9a5.5 5.5 0 1 1-11 0 5.5 5.5 0 0 1 11 0M13 13l4 4'),
  copy: icon(
    'M9 7h6a2 2 0 0 1 2 2v6a2 2 0 0 1-2 2H9a2 2 0 0 1-2-2V9a2 2 0 0 1 2-2M13 7V5a2 2 0 0 0-2-2H5a2 2 0 0 0-2 2v6a2 2 0 0 0 2 2h2',
  ),
  check: icon('m4 10.5 4 4 8-9'),
  close: icon('m5 5 10 10M15 5 5 15'),
  warning: icon('M10 3 2.5 16.5h15zM10 8v4M10 14.3v.2'),
  more: icon('M4.5 10h.1M10 10h.1M15.5 10h.1'),
  user: icon('M13.2 7a3.2 3.2 0 1 1-6.4 0 3.2 3.2 0 0 1 6.4 0M4 17c.6-3.4 3-5 6-5s5.4 1.6 6 5'),
}
