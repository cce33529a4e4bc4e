import { html, nothing, type TemplateResult } from 'lit'
import type { WireKey } from '../../client/index.ts'
import { drawable } from '../format/text.ts'
import { code } from '../parts/controls.ts'
import { dialog, failureAlert, submitButton } from '../parts/dialog.ts'
import type { Tab } from '../state/tab.ts'
import { isStoppable } from './bulk.ts'

/** The box that chooses a key, while keys are being chosen. */
export function chooseBox(
  { locale, parts: { bulk } }: Tab,
  key: WireKey,
): TemplateResult | typeof nothing {
  if (!bulk.choosing || !isStoppable(key)) return nothing
  const on = bulk.has(key.id)
  return html`<label class="choose"
    ><input
      type="checkbox"
      data-choose=${key.id}
      tabindex="-1"
      aria-label=${locale.text('bulk.sr', { name: key.name })}
      .checked=${on}
      @change=${() => bulk.choose([key.id], !on)}
  /></label>`
}

/** What can be done with the chosen keys. */
export function chosenBar({
  locale,
  online,
  parts: { bulk },
  view,
}: Tab): TemplateResult | typeof nothing {
  if (!bulk.choosing) return nothing
  const ids = view.rows.filter(isStoppable).map(({ id }) => id)
  const n = bulk.chosen.length
  const held = ids.filter((id) => bulk.has(id)).length
  const all = held > 0 && held === ids.length
  return html`<div class="chosen note" role="group" aria-label=${locale.text('bulk.title', { n })}>
    <label class="box">
      <input
        type="checkbox"
        data-act="choose-all"
        .checked=${all}
        .indeterminate=${held > 0 && !all}
        @change=${() => bulk.choose(ids, !all)}
      />
      <span>${locale.rich('create.scopes.shown', { group: locale.text('create.scopes.all'), n: ids.length })}</span>
    </label>
    <span class="grow">${locale.rich('bulk.chosen', { n })}</span>
    <button type="button" class="danger filled" data-act="revoke-chosen" ?disabled=${n === 0 || !online} @click=${() => bulk.ask()}>
      ${locale.text('revoke')}
    </button>
    <button type="button" data-act="end-choosing" @click=${() => bulk.end()}>${locale.text('cancel')}</button>
  </div>`
}

/** The question before several keys are revoked: how many, and how much each was used. */
export function bulkDialog(tab: Tab): TemplateResult {
  return dialog(tab, tab.parts.bulk, {
    id: 'bulk',
    role: 'alertdialog',
    describedBy: 'bulk-body',
    content: () => question(tab),
  })
}

function question(tab: Tab): TemplateResult {
  const { locale } = tab
  const { bulk } = tab.parts
  const { busy, done, failure, keys } = bulk
  const n = keys.length
  const close = () => bulk.close()
  return html`
    <div class="dialog-box">
      <div class="dialog-head">
        <h2 id="bulk-title" part="dialog-title">${locale.rich('bulk.title', { n })}</h2>
      </div>
      <div class="dialog-body" part="dialog-body" tabindex="0">
        <p id="bulk-body">${locale.text('bulk.body')}</p>
        <ul class="stack prose uses-list">${keys.map((key) => line(tab, key))}</ul>
        ${busy ? html`<progress aria-label=${locale.text('bulk.title', { n })} max=${n} value=${done}></progress>` : nothing}
        ${failureAlert(tab, failure, { close, late: (one) => one })}
      </div>
      <div class="dialog-foot" part="dialog-footer">
        <button type="button" autofocus part="secondary-button" ?disabled=${busy} @click=${close}>
          ${locale.text('bulk.keep')}
        </button>
        ${submitButton(busy, {
          part: 'danger-button',
          class: 'danger filled',
          text: locale.text('revoke'),
          run: () => bulk.confirm(),
        })}
      </div>
    </div>
  `
}

function line({ locale }: Tab, { lastUsedAt, name, prefix, uses }: WireKey): TemplateResult {
  const when = lastUsedAt === null ? null : locale.dates.recent(lastUsedAt, Date.now())
  return html`<li>
    <strong><bdi>${drawable(name)}</bdi></strong> ${code(prefix, '…')}
    <span class="muted small">${when === null ? locale.text('never') : [locale.rich('uses.sr', { n: uses }), ` · ${locale.text('col.last')}: `, html`<bdi>${when}</bdi>`]}</span>
  </li>`
}
