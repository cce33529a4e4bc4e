import { html, nothing, type TemplateResult } from 'lit/html.js'
import { type Draft, nameLength, nameLimit } from '../state/draft.ts'
import type { Tab } from '../state/tab.ts'
import { dialog, failureAlert } from './dialog.ts'
import { icons } from './icons.ts'
import { scopePicker } from './scope-picker.ts'

/** The counter shows up when so few characters are left. */
const countedFrom = 20

/** The dialog in which a key is named, placed and given its scopes. */
export function createDialog(tab: Tab): TemplateResult {
  return dialog(tab, tab.form, { id: 'create', content: () => createForm(tab) })
}

function createForm(tab: Tab): TemplateResult {
  const { form, locale } = tab
  const submit = (event: Event) => {
    event.preventDefault()
    void form.submit()
  }
  return html`
    <form class="dialog-box" novalidate autocomplete="off" @submit=${submit}>
      <div class="dialog-head">
        <h2 id="create-title" part="dialog-title">${locale.text('create.title')}</h2>
        <button
          type="button"
          class="icon-button"
          aria-label=${locale.text('close')}
          ?disabled=${form.busy}
          @click=${() => form.close()}
        >
          ${icons.close}
        </button>
      </div>
      <div class="dialog-body" part="dialog-body" ?inert=${form.busy}>
        ${failureAlert(tab, form.failure, () => form.close())} ${nameField(tab)}
        ${environmentField(tab)} ${scopePicker(tab)}
      </div>
      ${footer(tab)}
    </form>
  `
}

function footer({ form, locale }: Tab): TemplateResult {
  const problems = form.problemCount
  return html`
    <div class="dialog-foot" part="dialog-footer">
      ${problems > 0 ? html`<p class="error-text grow">${locale.rich('v.summary', { n: problems })}</p>` : nothing}
      <button type="button" part="secondary-button" data-act="cancel" ?disabled=${form.busy} @click=${() => form.close()}>
        ${locale.text('cancel')}
      </button>
      <button
        type="submit"
        class="primary"
        part="primary-button"
        data-act="submit"
        aria-busy=${form.busy ? 'true' : nothing}
      >
        ${locale.text(form.busy ? 'create.busy' : 'create.submit')}
      </button>
    </div>
  `
}

// Every error stands above its field, so that both are in view when the field has the focus.
// No maxlength: it would cut a pasted name without saying so.
function nameField({ form, locale }: Tab): TemplateResult {
  const { draft, errors } = form
  const left = nameLimit - nameLength(draft.name)
  const edit = (event: Event) =>
    event.target instanceof HTMLInputElement && form.edit({ name: event.target.value })
  return html`
    <div class="field">
      <label for="create-name">${locale.text('create.name')}</label>
      <p id="create-name-error" class="error-text">${errors.name ? locale.text(errors.name) : nothing}</p>
      <input
        id="create-name"
        part="name-input"
        type="text"
        dir="auto"
        autocomplete="off"
        spellcheck="false"
        required
        aria-invalid=${errors.name ? 'true' : nothing}
        aria-describedby="create-name-hint create-name-error"
        .value=${draft.name}
        @input=${edit}
      />
      <p id="create-name-hint" class="hint">
        <span>${locale.text('create.name.hint')}</span>
        ${
          left >= 0 && left <= countedFrom
            ? html`<span class="counter">${locale.rich('create.name.left', { n: left })}</span>`
            : nothing
        }
      </p>
    </div>
  `
}

function environmentField({ form, locale }: Tab): TemplateResult {
  const { draft, errors } = form
  const option = (environment: NonNullable<Draft['environment']>) => html`
    <label part="env-option" class="option">
      <input
        id="env-${environment}"
        type="radio"
        name="environment"
        value=${environment}
        required
        aria-invalid=${errors.environment ? 'true' : nothing}
        aria-describedby="env-hint-${environment} create-env-error"
        .checked=${draft.environment === environment}
        @change=${() => form.edit({ environment })}
      />
      <span>
        <span class="option-title"
          >${locale.text(`create.env.${environment}`)} <code><bdi dir="ltr">${environment}</bdi></code></span
        >
        <span id="env-hint-${environment}" class="hint">${locale.text(`create.env.${environment}.hint`)}</span>
      </span>
    </label>
  `
  return html`
    <fieldset class="field">
      <legend>${locale.text('create.env')}</legend>
      <p id="create-env-error" class="error-text">${errors.environment ? locale.text(errors.environment) : nothing}</p>
      <div class="options">${option('live')}${option('test')}</div>
    </fieldset>
  `
}
