import { html, nothing, type TemplateResult } from 'lit'
import { type Failure, isOver, type Sentence, sentencesOf, valuesOf } from '../state/failure.ts'
import { places } from '../state/places.ts'
import type { Tab } from '../state/tab.ts'
import { flag, smallButton } from './controls.ts'
import { icons } from './icons.ts'

/** A dialog that the tab can open. */
export interface DialogState {
  readonly open: boolean
  readonly busy: boolean
  close(): void
}

/** What makes one dialog differ from another. */
export interface DialogParts {
  readonly id: string
  readonly role?: 'alertdialog'
  readonly class?: string
  readonly describedBy?: string
  /** It only shows something: a press outside closes it. */
  readonly light?: boolean
  readonly content: () => TemplateResult
}

/**
 * A native dialog with its own live region: while it is open, the one outside is not exposed. The
 * element stays in the page so that the region exists before it has something to say.
 */
export function dialog(tab: Tab, state: DialogState, parts: DialogParts): TemplateResult {
  const { dir, lang } = tab.locale.settings
  return html`
    <dialog
      id=${parts.id}
      part="dialog"
      class=${parts.class ?? nothing}
      role=${parts.role ?? nothing}
      lang=${lang}
      dir=${dir}
      closedby=${state.busy ? 'none' : parts.light ? 'any' : 'closerequest'}
      aria-labelledby="${parts.id}-title"
      aria-describedby=${parts.describedBy ?? nothing}
      @cancel=${(event: Event) => state.busy && event.preventDefault()}
      @click=${(event: Event) => parts.light && event.target === event.currentTarget && state.close()}
      @close=${(event: Event) => closed(event) && state.close()}
    >
      ${state.open ? parts.content() : nothing}
      <div class="sr" role="status" data-live></div>
    </dialog>
  `
}

// The event comes later than the closing: by then the dialog may ask something else.
function closed({ currentTarget }: Event): boolean {
  return currentTarget instanceof HTMLDialogElement && !currentTarget.open
}

/** What went wrong with the action of a dialog, and a way to look at the list when it matters. */
export function failureAlert(
  tab: Tab,
  failure: Failure | null,
  { close, late }: { readonly close: () => void; readonly late: (failure: Failure) => Failure },
): TemplateResult | typeof nothing {
  if (failure === null || isOver(failure)) return nothing
  const refresh = () => {
    const notice = late(failure)
    close()
    if (failure.unknown) {
      // What to look for stays in sight beside the fresh list, with its name.
      tab.notify(notice)
      tab.focusOn(places.notice)
    }
    return tab.refresh()
  }
  return html`
    <div class="note bad" part="error-message" role="alert" tabindex="-1">
      ${icons.warning}
      <div class="grow">
        <p>${failureLine(tab, failure)}</p>
        ${failure.refresh ? smallButton(tab.locale.text('refresh'), refresh, 'refresh') : nothing}
      </div>
    </div>
  `
}

/** All sentences of a failure in one line. */
export function failureLine({ locale }: Tab, failure: Failure): readonly unknown[] {
  return sentencesOf(failure).map((sentence, at) => [
    at > 0 ? ' ' : nothing,
    sentence.until === undefined
      ? locale.rich(sentence.id, sentence.values)
      : countdown(locale, sentence),
  ])
}

// Counted down for the eye alone: a screen reader has heard the whole of it.
function countdown(locale: Tab['locale'], sentence: Sentence): TemplateResult {
  return html`<span class="sr">${locale.text(sentence.id, sentence.values)}</span>
    <span aria-hidden="true" data-until>${locale.rich(sentence.id, valuesOf(sentence))}</span>`
}

/** The cross in a corner. */
export function closeButton({ locale }: Tab, close: () => void, busy = false): TemplateResult {
  return html`<button
    type="button"
    class="icon-button"
    aria-label=${locale.text('close')}
    ?disabled=${busy}
    @click=${close}
  >
    ${icons.close}
  </button>`
}

/** The button that does what a dialog is for. While it is busy it says so by a spinner. */
export function submitButton(
  busy: boolean,
  look: {
    readonly part: string
    readonly class: string
    readonly text: string
    /** What it does, where there is no form to submit. */
    readonly run?: () => unknown
  },
): TemplateResult {
  return html`<button
    type=${look.run ? 'button' : 'submit'}
    part=${look.part}
    class=${look.class}
    aria-busy=${flag(busy)}
    data-act=${look.run ? 'confirm' : 'submit'}
    @click=${look.run}
  >
    ${look.text}
  </button>`
}
