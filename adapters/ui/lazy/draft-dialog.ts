import { html, nothing, type TemplateResult } from 'lit'
import { closeButton, failureAlert, submitButton } from '../parts/dialog.ts'
import { type Failure, lateFailure } from '../state/failure.ts'
import type { Tab } from '../state/tab.ts'
import type { Rich } from '../strings/translator.ts'
import type { DraftForm } from './draft-form.ts'
import { expiryField, nameField, noteField } from './key-fields.ts'
import { networkField } from './network-field.ts'
import { resourceFields } from './resource-field.ts'
import { scopePicker } from './scope-picker.ts'

/** What makes one form differ from the other. */
export interface FormParts {
  readonly title: string | Rich
  readonly submit: string
  readonly action: 'create' | 'update'
  /** The name that is spoken of where it has failed too late. */
  readonly name: string
  /** What stands above the fields, below the name, and below them. */
  readonly above?: unknown
  readonly second?: unknown
  readonly below?: unknown
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
      <div class="dialog-body" part="dialog-body" ?inert=${form.busy}>${fields(tab, form, parts)}</div>
      ${footer(tab, form, parts.submit)}
    </form>
  `
}

function fields(tab: Tab, form: DraftForm, parts: FormParts): TemplateResult {
  const close = () => form.close()
  const late = (failure: Failure) => lateFailure(parts.action, parts.name, failure)
  return html`${parts.above ?? nothing} ${failureAlert(tab, form.failure, { close, late })}
    ${nameField(tab, form)} ${parts.second ?? nothing} ${expiryField(tab, form)} ${resourceFields(tab, form)}
    ${scopePicker(tab, form)} ${networkField(tab, form)} ${noteField(tab, form)} ${parts.below ?? nothing}`
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
