import { html, nothing, type TemplateResult } from 'lit'
import { drawable } from '../format/text.ts'

/** The value of an ARIA attribute that is left out where it is not true. */
export function flag(on: unknown): 'true' | typeof nothing {
  return on ? 'true' : nothing
}

/** A handler that takes what was typed or chosen. */
export function typed(use: (text: string) => unknown): (event: Event) => unknown {
  return ({ target }) => use((target as HTMLInputElement).value)
}

/** An id, a prefix or a scope: Latin, whatever the language. */
export function code(text: string, more = ''): TemplateResult {
  return html`<code><bdi dir="ltr">${drawable(text)}${more}</bdi></code>`
}

/** A button inside of something. */
export function smallButton(words: unknown, run: () => unknown, act?: string): TemplateResult {
  return html`<button type="button" class="small-button" data-act=${act ?? nothing} @click=${run}>${words}</button>`
}
