import { html, nothing, type TemplateResult } from 'lit'
import { flag } from '../parts/controls.ts'
import { dialog } from '../parts/dialog.ts'
import type { Tab } from '../state/tab.ts'
import type { CreateForm } from './create-form.ts'
import type { Draft } from './draft.ts'
import { draftForm } from './draft-dialog.ts'

/** The dialog in which a key is named, placed and given its scopes. */
export function createDialog(tab: Tab): TemplateResult {
  const { locale } = tab
  const form = tab.parts.creating
  const content = () =>
    draftForm(tab, form, {
      title: locale.text('create.title'),
      submit: locale.text('create.submit'),
      action: 'create',
      name: form.attempted,
      second: environmentField(tab, form),
      below: html`<slot name="form"></slot>`,
    })
  return dialog(tab, form, { id: 'create', content })
}

function environmentField({ locale }: Tab, form: CreateForm): TemplateResult {
  const { draft, errors } = form
  const barred = (['live', 'test'] as const).some((one) => !form.mayBeFor(one))
  const option = (environment: NonNullable<Draft['environment']>) => html`
    <label part="env-option" class="option ${draft.environment === environment ? 'chosen' : ''}">
      <input
        id="env-${environment}"
        type="radio"
        name="environment"
        value=${environment}
        required
        ?disabled=${!form.mayBeFor(environment)}
        aria-invalid=${flag(errors.environment)}
        aria-describedby="env-hint-${environment} create-env-error create-env-barred"
        .checked=${draft.environment === environment}
        @change=${() => form.edit({ environment })}
      />
      <span>
        <span class="option-title">${locale.text(`create.env.${environment}`)}</span>
        <span id="env-hint-${environment}" class="hint">${locale.text(`create.env.${environment}.hint`)}</span>
      </span>
    </label>
  `
  return html`
    <fieldset class="field">
      <legend>${locale.text('create.env')}</legend>
      <p id="create-env-error" class="error-text">${errors.environment ? locale.text(errors.environment) : nothing}</p>
      <p id="create-env-barred" class="hint">${barred ? locale.text('grant.some') : nothing}</p>
      <div class="options">${option('live')}${option('test')}</div>
    </fieldset>
  `
}
