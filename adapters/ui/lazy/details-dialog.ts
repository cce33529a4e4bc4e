import { html, nothing, type TemplateResult } from 'lit'
import type { WireKey } from '../../client/index.ts'
import { drawable } from '../format/text.ts'
import { code, smallButton } from '../parts/controls.ts'
import { closeButton, dialog } from '../parts/dialog.ts'
import { icons } from '../parts/icons.ts'
import { environmentBadge, prefix } from '../parts/key-row.ts'
import { keyButtons } from '../parts/row-actions.ts'
import { statusCell } from '../parts/status-cell.ts'
import { isRotatable } from '../state/listed-key.ts'
import type { Tab } from '../state/tab.ts'
import { historySection } from './history-list.ts'
import type { KeyDetails } from './key-details.ts'
import { scopeList } from './scope-list.ts'
import { usageSection } from './usage-bars.ts'

/** The drawer with all that is known about one key. */
export function detailsDialog(tab: Tab): TemplateResult {
  const { details } = tab.parts
  const content = () => (details.key ? drawer(tab, details, details.key) : html``)
  return dialog(tab, details, { id: 'details', class: 'drawer', light: true, content })
}

function drawer(tab: Tab, details: KeyDetails, key: WireKey): TemplateResult {
  const { locale, settings } = tab
  const related = relatives(tab, details)
  const copied = details.copied === key.id
  const copy = html`<code id="details-id"><bdi dir="ltr">${drawable(key.id)}</bdi></code>
    ${smallButton([copied ? icons.check : icons.copy, locale.text(copied ? 'copied' : 'menu.copy')], () => details.copyId(key.id), 'copy-id')}
    ${details.copyFailed ? html`<p data-note="id-failed">${locale.text('detail.id.fail')}</p>` : nothing}`
  return html`
    <div class="dialog-box">
      <div class="dialog-head">
        <h2 id="details-title" part="dialog-title" tabindex="-1"><bdi>${drawable(key.name)}</bdi></h2>
        ${closeButton(tab, () => details.close())}
      </div>
      <div class="dialog-body" part="dialog-body">
      ${usageSection(tab, details.usage, details.readUsage)}
      ${key.withinGrant === false ? html`<p class="note" data-note="beyond">${icons.lock}<span>${locale.text('grant.key')}</span></p>` : nothing}
      <dl>
        ${entry(locale.text('col.status'), statusCell(tab, key))}
        ${entry(locale.text('detail.id'), copy)}
        ${entry(locale.text('col.key'), html`<span>${prefix(tab, key)}</span>`)}
        ${entry(locale.text('col.type'), environmentBadge(tab, key))}
        ${key.note ? entry(locale.text('note'), html`<bdi>${drawable(key.note)}</bdi>`) : nothing}
        ${entry(locale.text('detail.creator'), key.creator?.name ? html`<bdi>${drawable(key.creator.name)}</bdi>` : locale.text('by.unknown'))}
        ${instants(tab, key)}
        ${entry(locale.text('col.uses'), locale.number(key.uses))}
        ${related('detail.replaces', key.replaces)}
        ${related('detail.replacedBy', key.replacedBy)}
        ${restrictions(tab, details, key)}
        ${entry(locale.rich('count.scopes', { n: key.scopes.length }), scopeList(tab, key), 'wide')}
      </dl>
      ${historySection(tab, key, details.history)}
      <slot name="details"></slot>
      </div>
      ${settings.readonly ? nothing : html`<div class="dialog-foot details-actions" part="dialog-footer">${actions(tab, key)}</div>`}
    </div>
  `
}

/** What can be done with the key, as in its row. */
function actions(tab: Tab, key: WireKey): unknown {
  const { locale, parts, refused } = tab
  const edit = () => {
    parts.details.close()
    parts.editing.show(key)
  }
  const editable = isRotatable(key) && !refused.has('update')
  return [
    editable
      ? html`<button type="button" data-act="edit" @click=${edit}>${locale.text('menu.edit')}</button>`
      : nothing,
    keyButtons(tab, key),
  ]
}

/** What a key reaches and where it can be used from; nothing of routes that do not say it. */
function restrictions({ catalogue, locale }: Tab, { resources }: KeyDetails, key: WireKey) {
  const list = (items: readonly unknown[]) =>
    html`<ul>${items.map((item) => html`<li>${item}</li>`)}</ul>`
  const named = (type: string, id: string) => {
    const name = resources.nameOf(type, id)
    return name === id ? code(id) : html`<bdi>${drawable(name)}</bdi> ${code(id)}`
  }
  const types = catalogue.types.map(({ type }) => type)
  const held = Object.keys(key.resources ?? {}).filter((type) => !types.includes(type))
  return [
    ...[...types, ...held].map((type) => {
      const ids = key.resources?.[type] ?? 'all'
      const label = drawable(resources.labelOf(type))
      if (ids === 'all')
        return entry(label, html`<span>${locale.rich('res.all', { type: label })}</span>`)
      return entry(
        label,
        ids.length > 0 ? list(ids.map((id) => named(type, id))) : locale.text('res.none'),
      )
    }),
    Array.isArray(key.networks)
      ? entry(locale.text('net.title'), list(key.networks.map((one) => code(one))))
      : nothing,
  ]
}

function entry(term: unknown, value: unknown, look = ''): TemplateResult {
  return html`<div class=${look}><dt class="muted small">${term}</dt><dd>${value}</dd></div>`
}

/** The moments in the life of a key, in full. */
function instants({ locale }: Tab, key: WireKey): readonly (TemplateResult | typeof nothing)[] {
  const { dates, text } = locale
  const all = [
    [text('detail.created'), key.createdAt],
    [text('detail.changed'), key.version > 1 ? key.updatedAt : null],
    [text('col.last'), key.lastUsedAt ?? text('never')],
    [text('expiry'), key.expiresAt],
    [text('status.paused'), key.pausedAt],
    [text('detail.retires'), key.retiresAt],
    [text('status.revoked'), key.revokedAt],
  ] as const
  return all.map(([term, at]) => (at ? entry(term, dates.full(at)) : nothing))
}

/** Draws a key before or after the shown one: a way to it, where it is loaded. */
function relatives({ locale }: Tab, details: KeyDetails) {
  return (id: 'detail.replaces' | 'detail.replacedBy', other: string | null) => {
    if (!other) return nothing
    const key = details.find(other)
    const way = key
      ? smallButton(html`<bdi>${drawable(key.name)}</bdi>`, () => details.follow(key))
      : code(other)
    return entry(locale.text(id), way)
  }
}
