import { html, nothing, type TemplateResult } from 'lit'
import { code, smallButton } from '../parts/controls.ts'
import type { Tab } from '../state/tab.ts'
import { linesOf } from './draft.ts'
import type { DraftForm } from './draft-form.ts'
import { choice, linesField } from './lines-field.ts'

/** Where the key may be used from: anywhere, or from some networks. */
export function networkField(tab: Tab, form: DraftForm): TemplateResult | typeof nothing {
  if (!form.restricts) return nothing
  const { locale } = tab
  const { draft, errors, grant, id } = form
  const { networks } = draft
  const anywhere = form.mayBeUsedAnywhere()
  const bounds = grant?.networks ?? 'any'
  const set = (text: string | null) => form.edit({ networks: text })
  const name = `${id}-networks`
  const about = `${name}-hint ${name}-error`
  return html`
    <fieldset class="field">
      <legend>${locale.text('net.title')}</legend>
      <p id="${name}-error" class="error-text">${errors.networks ? locale.text(errors.networks) : nothing}</p>
      ${errors.networks === 'v.networks' ? objections(tab, form) : nothing}
      <div class="overlaps">
        ${choice({
          id: `${name}-any`,
          name,
          text: locale.text('net.any'),
          checked: networks === null,
          disabled: !anywhere,
          describedBy: `${name}-hint`,
          choose: () => set(null),
        })}
        ${choice({
          id: `${name}-some`,
          name,
          text: locale.text('net.some'),
          checked: networks !== null,
          choose: () => set(networks ?? ''),
        })}
      </div>
      ${
        networks === null
          ? nothing
          : linesField({
              id: name,
              label: locale.text('net.lines'),
              describedBy: about,
              value: networks,
              invalid: errors.networks !== undefined,
              edit: set,
            })
      }
      <p id="${name}-hint" class="hint">${networks === null ? nothing : html`<span>${locale.rich('net.hint', { id: '198.51.100.0/24' })}</span>`}
        ${anywhere ? nothing : html`<span>${reason(tab, form, bounds)}</span>`}</p>
    </fieldset>
  `
}

function reason({ locale }: Tab, form: DraftForm, bounds: 'any' | readonly string[]): unknown {
  return form.widens && bounds !== 'any'
    ? locale.rich('grant.networks', { id: bounds.join(' ') })
    : locale.text('grant.key')
}

/** What the server says about a line, with the form that is meant where it knows one. */
function objections(tab: Tab, form: DraftForm): readonly (TemplateResult | typeof nothing)[] {
  const lines = linesOf(form.draft.networks ?? '')
  return form.issues.map(({ code: kind, message, path: [field, at] }) => {
    const line = lines[Number(at)]
    if (field !== 'networks' || line === undefined) return nothing
    const meant = kind === 'not_canonical' ? /(\S+)\.$/.exec(message)?.[1] : undefined
    const take = () => {
      form.edit({ networks: lines.map((one) => (one === line ? meant : one)).join('\n') })
      tab.focusOn(`#${form.id}-networks`)
    }
    return html`<p class="error-text row">
      ${code(line)}
      ${
        meant === undefined
          ? html`<bdi lang="en" dir="ltr">${message}</bdi>`
          : smallButton(
              html`<span>${tab.locale.rich('net.meant', { id: meant })}</span>`,
              take,
              'meant',
            )
      }
    </p>`
  })
}
