import { html, nothing, type TemplateResult } from 'lit'
import { guard } from 'lit/directives/guard.js'
import type { WireKey } from '../../client/index.ts'
import { capital } from '../format/dates.ts'
import { drawable } from '../format/text.ts'
import {
  isReadable,
  isRestricted,
  isUnused,
  type ListedKey,
  type UnreadableKey,
  unusedDays,
} from '../state/listed-key.ts'
import type { Tab } from '../state/tab.ts'
import type { Rich } from '../strings/translator.ts'
import { rowActions } from './row-actions.ts'
import { statusCell } from './status-cell.ts'

const minuteMs = 60_000

/** One row of the list: a key, or that there is one which cannot be displayed. Drawn when it changes. */
export function listRow(tab: Tab, key: ListedKey): unknown {
  const { catalogue, lazy, list, locale, refused, settings } = tab
  const { readonly, userId } = settings
  const minute = Math.floor(Date.now() / minuteMs)
  const { id } = key
  const own = [lazy.parts, key, list.fresh.has(id), lazy.parts?.menu.key?.id === id]
  const copied = lazy.parts?.details.copied === id
  const rights = [refused.size, list.plan.allowedOperations]
  const shared = [locale, catalogue.groups, list.locked, readonly, userId]
  const draw = () => (isReadable(key) ? keyRow(tab, key) : unreadableRow(tab, key))
  return guard([minute, copied, ...own, ...rights, ...shared], draw)
}

function unreadableRow({ locale }: Tab, { id, named }: UnreadableKey): TemplateResult {
  return html`
    <tr role="row" part="row" class="unreadable">
      <th role="rowheader" scope="row" colspan="7" tabindex="-1" data-row=${id}>
        <span class="muted">${locale.text('row.unreadable')}</span>
        ${named ? html`<span class="muted small">${locale.rich('err.ref', { ref: id })}</span>` : nothing}
      </th>
    </tr>
  `
}

function keyRow(tab: Tab, key: WireKey): TemplateResult {
  const { list, locale, settings } = tab
  return html`
    <tr role="row" part="row" class="${key.status} ${list.fresh.has(key.id) ? 'fresh' : ''} ${settings.readonly ? '' : 'acting'}">
      <th role="rowheader" scope="row">
        <span class="name">${nameButton(tab, key)}</span>
        <span part="creator" class="muted by">${creator(tab, key)}</span>
        <span part="scopes" class="muted by">${locale.rich('count.scopes', { n: key.scopes.length })}</span>${isRestricted(key) ? html`<span class="muted by">${locale.text('badge.restricted')}</span>` : nothing}
      </th>
      ${cells(tab, key)}
      ${settings.readonly ? nothing : rowActions(tab, key)}
    </tr>
  `
}

/** What stands in each column after the name. */
function cells(tab: Tab, key: WireKey): TemplateResult {
  const { locale } = tab
  return html`<td role="cell" class="c-key">${prefix(tab, key)}</td>
    <td role="cell" class="c-type">${environmentBadge(tab, key)}</td>
    <td role="cell" class="c-last labelled" part="last-used" data-l=${locale.text('col.last')}>${lastUsed(tab, key)}${unusedNote(tab, key)}</td>
    <td role="cell" class="c-uses number labelled" part="uses" data-l=${locale.text('col.uses')}><span class="sr">${locale.text('uses.sr', { n: key.uses })}</span
      ><bdi aria-hidden="true" class="uses">${locale.number(key.uses)}</bdi></td>
    <td role="cell" class="c-status">${statusCell(tab, key)}</td>`
}

/** Live or test. */
export function environmentBadge({ locale }: Tab, { environment }: WireKey): TemplateResult {
  return html`<span part="badge badge-${environment}" class="badge ${environment}"
    >${locale.text(`env.${environment}`)}</span
  >`
}

function nameButton({ lazy }: Tab, key: WireKey): TemplateResult {
  return html`<button
    class="name-button"
    type="button"
    data-row=${key.id}
    aria-haspopup="dialog"
    @click=${() => lazy.open(({ details }) => details.show(key))}
  ><bdi part="name">${drawable(key.name)}</bdi></button>`
}

/** Who has made a key. */
export function creator(tab: Tab, { creator }: WireKey): Rich | string {
  if (!creator?.name) return tab.locale.text('by.unknown')
  if (tab.settings.userId && creator.id === tab.settings.userId) return tab.locale.text('by.you')
  return tab.locale.rich('by', { name: creator.name })
}

/** The prefix of a key, with what it is for screen readers. */
export function prefix(tab: Tab, key: WireKey): TemplateResult {
  const shown = drawable(key.prefix)
  return html`<span class="sr">${tab.locale.text('key.sr', { prefix: shown })}</span
    ><code part="key" class="prefix" dir="ltr" aria-hidden="true">${shown}…</code>`
}

/** When a key was last used. The exact instant shows while it has the focus, which a touch gives it. */
export function lastUsed({ locale }: Tab, { lastUsedAt }: WireKey): TemplateResult {
  if (lastUsedAt === null) return html`<span class="muted">${locale.text('never')}</span>`
  return html`<time tabindex="0" datetime=${lastUsedAt} title=${locale.dates.full(lastUsedAt)}
    >${capital(locale.dates.recent(lastUsedAt, Date.now()))}</time
  >`
}

function unusedNote({ locale }: Tab, key: WireKey): TemplateResult | typeof nothing {
  if (!key.lastUsedAt || !isUnused(key)) return nothing
  const time = locale.dates.days(unusedDays)
  return html`<span class="small since soon">${locale.rich('unused', { time })}</span>`
}
