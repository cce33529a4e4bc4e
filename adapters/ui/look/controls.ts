import { html, nothing, type TemplateResult } from 'lit'
import { type Failure, isOver, type Sentence, sentencesOf, valuesOf } from '../calls/failure.ts'
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

/** A button inside of something. */
export function smallButton(words: unknown, run: () => unknown, act?: string): TemplateResult {
  return html`<button type="button" class="small-button" data-act=${act ?? nothing} @click=${run}>${words}</button>`
}

/** The cross in a corner. */
export function closeButton(locale: Locale, close: () => void, busy = false): TemplateResult {
  return html`<button type="button" class="icon-button" aria-label=${locale.text('close')}
      ?disabled=${busy} @click=${close}>
    ${icons.close}
  </button>`
}

/** All sentences of a failure in one line; nothing once it is over. */
export function failureLine(locale: Locale, failure: Failure | null): unknown {
  if (failure === null || isOver(failure)) return nothing
  return sentencesOf(failure).map((sentence, at) => [
    at > 0 ? ' ' : nothing,
    sentence.until === undefined
      ? locale.rich(sentence.id, sentence.values)
      : countdown(locale, sentence),
  ])
}

// Counted down for the eye alone: a screen reader has heard the whole of it.
function countdown(locale: Locale, sentence: Sentence): TemplateResult {
  return html`<span class="sr">${locale.text(sentence.id, sentence.values)}</span
    ><span aria-hidden="true" data-until>${locale.rich(sentence.id, valuesOf(sentence))}</span>`
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
