import { html, nothing, type TemplateResult } from 'lit'
import { marks } from '../format/text.ts'
import { flag, typed } from '../parts/controls.ts'
import type { Tab } from '../state/tab.ts'
import { nameLength, nameLimit, noteLimit } from './draft.ts'
import type { DraftForm } from './draft-form.ts'
import { type ExpiryChoice, expiryOf, lastDay } from './expiry.ts'

/** The counter shows up when this few characters are left. */
const countedFrom = 20

/**
 * The name of a key. Its error stands above it, so that both are in view when the field has the focus.
 * There is no maxlength: it would cut a pasted name without saying so.
 */
export function nameField(tab: Tab, form: DraftForm): TemplateResult {
  const { locale } = tab
  const { draft, errors, id } = form
  const edit = ({ target }: Event) => {
    if (!(target instanceof HTMLInputElement)) return
    const name = target.value.replace(marks, '')
    form.unmarked = name !== target.value
    if (form.unmarked) target.value = name
    form.edit({ name })
  }
  const over = nameLength(draft.name) > nameLimit
  return html`
    <div class="field">
      <label for="${id}-name">${locale.text('create.name')}</label>
      <p id="${id}-name-error" class="error-text">${errors.name ? locale.rich(errors.name, { n: nameLimit }) : nothing}</p>
      <input
        id="${id}-name"
        part="name-input"
        type="text"
        dir=${draft.name ? 'auto' : locale.settings.dir}
        autocomplete="off"
        spellcheck="false"
        required
        aria-invalid=${flag(errors.name || over)}
        aria-describedby="${id}-name-hint ${id}-name-error"
        .value=${draft.name}
        @input=${edit}
      />
      ${form.isNameTaken ? html`<p class="hint taken" role="status" data-note="taken">${locale.text('name.same')}</p>` : nothing}
      <p id="${id}-name-hint" class="hint">
        <span>${locale.text(form.unmarked ? 'create.name.marks' : 'create.name.hint')}</span>${counter(tab, draft.name)}
      </p>
    </div>
  `
}

/** A note for people, on one line. */
export function noteField({ locale }: Tab, form: DraftForm): TemplateResult | typeof nothing {
  if (!form.restricts) return nothing
  const { draft, errors, id } = form
  const edit = typed((text) => form.edit({ note: text }))
  return html`
    <div class="field">
      <label for="${id}-note">${locale.text('note')}</label>
      <p id="${id}-note-error" class="error-text">${errors.note ? locale.rich(errors.note, { n: noteLimit }) : nothing}</p>
      <input
        id="${id}-note"
        type="text"
        dir=${draft.note ? 'auto' : locale.settings.dir}
        autocomplete="off"
        aria-invalid=${flag(errors.note)}
        aria-describedby="${id}-note-hint ${id}-note-error"
        .value=${draft.note}
        @input=${edit}
      />
      <p id="${id}-note-hint" class="hint"><span>${locale.rich('note.hint', { n: noteLimit })}</span></p>
    </div>
  `
}

function counter({ locale }: Tab, name: string): TemplateResult | typeof nothing {
  const left = nameLimit - nameLength(name)
  if (left > countedFrom) return nothing
  return left < 0
    ? html`<span class="counter error-text">${locale.rich('v.name.over', { n: -left })}</span>`
    : html`<span class="counter">${locale.rich('create.name.left', { n: left })}</span>`
}

/** When a key expires. */
export function expiryField({ locale }: Tab, form: DraftForm): TemplateResult {
  const { draft, errors, id } = form
  const { choice, day } = draft.expiry
  const { dates } = locale
  const { rules } = form
  const chosen = expiryOf(draft.expiry, rules) ?? Number.NaN
  const end = Number.isNaN(chosen) ? null : chosen
  const wrong = errors.expiry ? 'true' : nothing
  const word = (one: ExpiryChoice) => {
    if (one === 'keep') return dates.day(form.end ?? '')
    if (one === 'never' || one === 'plan' || one === 'date') return locale.text(`expiry.${one}`)
    return dates.within(Number(one), 'day')
  }
  const choose = typed((one) => form.edit({ expiry: { choice: one as ExpiryChoice, day } }))
  const pick = typed((one) => form.edit({ expiry: { choice, day: one } }))
  return html`
    <div class="field">
      <label for="${id}-expiry">${locale.text('expiry')}</label>
      <p id="${id}-expiry-error" class="error-text">${errors.expiry ? locale.text(errors.expiry) : nothing}</p>
      <div class="row">
        <select
          id="${id}-expiry"
          part="expiry-select"
          aria-invalid=${choice === 'date' ? nothing : wrong}
          aria-describedby="${id}-expiry-error ${id}-expiry-hint"
          @change=${choose}
        >
          ${form.expiryChoices.map(
            (one) => html`<option value=${one} .selected=${one === choice}>${word(one)}</option>`,
          )}
        </select>
        ${
          choice === 'date'
            ? html`<input
                id="${id}-day"
                type="date"
                aria-invalid=${wrong}
                aria-label=${locale.text('expiry.day')}
                aria-describedby="${id}-expiry-error ${id}-expiry-hint"
                min=${dates.dayIn(0, rules.now)}
                max=${lastDay(rules) ?? nothing}
                .value=${day}
                @input=${pick}
              />`
            : nothing
        }
      </div>
      <p id="${id}-expiry-hint" class="hint">${end === null ? nothing : html`<span>${locale.rich('expiry.until', { date: dates.dayInFull(end) })}</span>`}</p>
    </div>
  `
}
