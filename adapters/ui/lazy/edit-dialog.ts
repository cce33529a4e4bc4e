import { html, nothing, type TemplateResult } from 'lit'
import { smallButton } from '../parts/controls.ts'
import { dialog } from '../parts/dialog.ts'
import { icons } from '../parts/icons.ts'
import type { Tab } from '../state/tab.ts'
import { draftForm } from './draft-dialog.ts'
import type { EditForm } from './edit-form.ts'

/** The dialog in which a key is changed. */
export function editDialog(tab: Tab): TemplateResult {
  const { locale } = tab
  const { editing } = tab.parts
  const name = editing.key?.name ?? ''
  const above = html`
    ${editing.overtaken ? overtaken(tab, editing) : nothing}
    ${editing.widens ? nothing : html`<p class="note" data-note="beyond">${icons.lock}<span>${locale.text('grant.key')} ${locale.text('grant.narrow')}</span></p>`}
  `
  const content = () =>
    draftForm(tab, editing, {
      title: locale.rich('edit.title', { name }),
      submit: locale.text('edit.submit'),
      action: 'update',
      name,
      above,
    })
  return dialog(tab, editing, { id: 'edit', content })
}

function overtaken({ locale }: Tab, editing: EditForm): TemplateResult {
  return html`
    <div class="note warn" role="alert" tabindex="-1" data-note="overtaken">
      ${icons.warning}
      <p class="grow">${locale.text('edit.overtaken')}</p>
      ${smallButton(locale.text('edit.reload'), () => editing.reload(), 'reload')}
    </div>
  `
}
