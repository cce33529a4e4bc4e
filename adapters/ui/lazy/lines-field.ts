import { html, type TemplateResult } from 'lit'
import { typed } from '../parts/controls.ts'

/** A field of lines, and how it is named and described. */
interface LinesField {
  readonly id: string
  readonly label: string
  readonly describedBy: string
  readonly value: string
  readonly invalid: boolean
  readonly edit: (text: string) => void
}

/** Several ids or networks, one a line. They are Latin, whatever the language. */
export function linesField(field: LinesField): TemplateResult {
  return html`<textarea
    id=${field.id}
    rows="3"
    dir="ltr"
    autocomplete="off"
    spellcheck="false"
    aria-label=${field.label}
    aria-describedby=${field.describedBy}
    aria-invalid=${field.invalid}
    .value=${field.value}
    @input=${typed(field.edit)}
  ></textarea>`
}

/** One of two choices beside each other. */
export function choice(of: {
  readonly id: string
  readonly name: string
  readonly text: unknown
  readonly checked: boolean
  readonly disabled?: boolean
  readonly describedBy?: string
  readonly choose: () => void
}): TemplateResult {
  return html`<label class="box">
    <input
      id=${of.id}
      type="radio"
      name=${of.name}
      ?disabled=${of.disabled ?? false}
      aria-describedby=${of.describedBy ?? ''}
      .checked=${of.checked}
      @change=${of.choose}
    />
    <span>${of.text}</span>
  </label>`
}
