import { html, nothing, type TemplateResult } from 'lit/html.js'
import type { WireKey } from '../../client/index.ts'
import { drawable } from '../format/text.ts'
import type { Tab } from '../state/tab.ts'
import { closeButton, dialog } from './dialog.ts'
import { icons } from './icons.ts'
import { environmentBadge, prefix, scopeList } from './key-row.ts'
import { statusCell } from './status-cell.ts'

/** The drawer with all that is known about one key. */
export function detailsDialog(tab: Tab): TemplateResult {
  const { details } = tab
  const content = () => (details.key ? drawer(tab, details.key) : html``)
  return dialog(tab, details, { id: 'details', class: 'drawer', content })
}

function drawer(tab: Tab, key: WireKey): TemplateResult {
  const { details, locale } = tab
  const copy = html`<code><bdi dir="ltr">${drawable(key.id)}</bdi></code>
    <button type="button" class="small-button" data-act="copy-id" @click=${() => tab.copyId(key.id)}>
      ${icons.copy}${locale.text('menu.copy')}
    </button>`
  return html`
    <div class="dialog-box">
      <div class="dialog-head">
        <h2 id="details-title" part="dialog-title"><bdi>${drawable(key.name)}</bdi></h2>
        ${closeButton(tab, () => details.close())}
      </div>
      <dl class="dialog-body" part="dialog-body">
        ${entry(locale.text('col.status'), statusCell(tab, key))}
        ${entry(locale.text('detail.id'), copy)}
        ${entry(locale.text('col.key'), prefix(tab, key))}
        ${entry(locale.text('col.type'), environmentBadge(tab, key))}
        ${entry(locale.text('detail.creator'), html`<bdi>${drawable(key.creator?.name ?? locale.text('by.unknown'))}</bdi>`)}
        ${instants(tab, key)}
        ${entry(locale.text('col.uses'), locale.number(key.uses))}
        ${lineage(tab, 'detail.replaces', key.replaces)}
        ${lineage(tab, 'detail.replacedBy', key.replacedBy)}
        ${entry(locale.rich('count.scopes', { n: key.scopes.length }), scopeList(tab, key))}
      </dl>
    </div>
  `
}

function entry(term: unknown, value: unknown): TemplateResult {
  return html`<div><dt class="muted small">${term}</dt><dd>${value}</dd></div>`
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
    [text('status.retiring'), key.retiresAt],
    [text('status.revoked'), key.revokedAt],
  ] as const
  return all.map(([term, at]) => (at ? entry(term, dates.full(at)) : nothing))
}

/** A key before or after this one: a way to it, where it is loaded. */
function lineage(
  { details, locale }: Tab,
  id: 'detail.replaces' | 'detail.replacedBy',
  other: string | null,
): TemplateResult | typeof nothing {
  if (!other) return nothing
  const key = details.find(other)
  const way = key
    ? html`<button type="button" class="small-button" @click=${() => details.show(key)}>
        <bdi>${drawable(key.name)}</bdi>
      </button>`
    : html`<code><bdi dir="ltr">${drawable(other)}</bdi></code>`
  return entry(locale.text(id), way)
}
