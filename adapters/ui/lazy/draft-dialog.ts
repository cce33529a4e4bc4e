import { html, nothing, type TemplateResult } from 'lit'
import { closeButton, submitButton } from '../parts/dialog.ts'
import type { Tab } from '../state/tab.ts'
import type { Rich } from '../strings/translator.ts'
import type { DraftForm } from './draft-form.ts'

/** What makes one form differ from the other. */
export interface FormParts {
  readonly title: string | Rich
  readonly submit: string
  readonly body: () => TemplateResult
}

/** The frame of a dialog with the fields of a key. */
export function draftForm(tab: Tab, form: DraftForm, parts: FormParts): TemplateResult {
  const close = () => form.close()
  const submit = (event: Event) => {
    event.preventDefault()
    void form.submit()
  }
  return html`
    <form class="dialog-box" novalidate autocomplete="off" @submit=${submit}>
      <div class="dialog-head">
        <h2 id="${form.id}-title" part="dialog-title">${parts.title}</h2>
        ${closeButton(tab, close, form.busy)}
      </div>
      <div class="dialog-body" part="dialog-body" ?inert=${form.busy}>${parts.body()}</div>
      ${footer(tab, form, parts.submit)}
    </form>
  `
}

function footer({ locale }: Tab, form: DraftForm, text: string): TemplateResult {
  const problems = form.problemCount
  return html`
    <div class="dialog-foot" part="dialog-footer">
      ${problems > 0 ? html`<p class="error-text grow">${locale.rich('v.summary', { n: problems })}</p>` : nothing}
      <button type="button" part="secondary-button" data-act="cancel" ?disabled=${form.busy} @click=${() => form.close()}>
        ${locale.text('cancel')}
      </button>
      ${submitButton(form.busy, { part: 'primary-button', class: 'primary', text })}
    </div>
  `
}
