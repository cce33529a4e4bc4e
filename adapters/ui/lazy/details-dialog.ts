import { html, nothing, type TemplateResult } from 'lit'
import type { WireKey } from '../../client/index.ts'
import { drawable } from '../format/text.ts'
import { closeButton, dialog } from '../parts/dialog.ts'
import { icons } from '../parts/icons.ts'
import { environmentBadge, prefix, scopeList } from '../parts/key-row.ts'
import { statusCell } from '../parts/status-cell.ts'
import { asOf } from '../state/listed-key.ts'
import type { Tab } from '../state/tab.ts'
import { historySection } from './history-list.ts'
import type { KeyDetails } from './key-details.ts'
import { usageSection } from './usage-bars.ts'

/** The drawer with all that is known about one key. */
export function detailsDialog(tab: Tab, details: KeyDetails): TemplateResult {
  const content = () => (details.key ? drawer(tab, details, asOf(details.key, Date.now())) : html``)
  return dialog(tab, details, { id: 'details', class: 'drawer', content })
}

function drawer(tab: Tab, details: KeyDetails, key: WireKey): TemplateResult {
  const { locale } = tab
  const related = relatives(tab, details)
  const copied = details.copied === key.id
  const copy = html`<code id="details-id"><bdi dir="ltr">${drawable(key.id)}</bdi></code>
    <button type="button" class="small-button" data-act="copy-id" @click=${() => details.copyId(key.id)}>
      ${copied ? icons.check : icons.copy}${locale.text(copied ? 'copied' : 'menu.copy')}
    </button>
    ${details.copyFailed ? html`<p data-note="id-failed">${locale.text('detail.id.fail')}</p>` : nothing}`
  return html`
    <div class="dialog-box">
      <div class="dialog-head">
        <h2 id="details-title" part="dialog-title" tabindex="-1"><bdi>${drawable(key.name)}</bdi></h2>
        ${closeButton(tab, () => details.close())}
      </div>
      <div class="dialog-body" part="dialog-body">
      ${usageSection(tab, details.usage, details.readUsage)}
      <dl>
        ${entry(locale.text('col.status'), statusCell(tab, key))}
        ${entry(locale.text('detail.id'), copy)}
        ${entry(locale.text('col.key'), prefix(tab, key))}
        ${entry(locale.text('col.type'), environmentBadge(tab, key))}
        ${entry(locale.text('detail.creator'), html`<bdi>${drawable(key.creator?.name ?? locale.text('by.unknown'))}</bdi>`)}
        ${instants(tab, key)}
        ${entry(locale.text('col.uses'), locale.number(key.uses))}
        ${related('detail.replaces', key.replaces)}
        ${related('detail.replacedBy', key.replacedBy)}
        ${entry(locale.rich('count.scopes', { n: key.scopes.length }), scopeList(tab, key))}
      </dl>
      ${historySection(tab, key, details.history)}
      </div>
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
      ? html`<button type="button" class="small-button" @click=${() => details.follow(key)}>
          <bdi>${drawable(key.name)}</bdi>
        </button>`
      : html`<code><bdi dir="ltr">${drawable(other)}</bdi></code>`
    return entry(locale.text(id), way)
  }
}
