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
} from '../state/listed-key.ts'
import type { Tab } from '../state/tab.ts'
import type { Rich } from '../strings/translator.ts'
import { rowActions } from './row-actions.ts'
import { statusCell } from './status-cell.ts'

const minuteMs = 60_000

/** One row of the list: a key, or that there is one which cannot be displayed. Drawn when it changes. */
export function listRow(tab: Tab, key: ListedKey): unknown {
  const { catalogue, lazy, list, locale, online, refused, settings, view } = tab
  const { columns, hideEnvironment, readonly, unusedDays, userId } = settings
  const minute = Math.floor(Date.now() / minuteMs)
  const { id } = key
  const bulk = lazy.parts?.bulk
  const own = [
    bulk?.choosing,
    bulk?.has(id),
    key,
    list.fresh.has(id),
    lazy.parts?.menu.key?.id === id,
    view.unfolded.has(id),
  ]
  const copied = lazy.parts?.details.copied === id
  const rights = [refused.size, list.plan.allowedOperations]
  const shared = [
    locale,
    catalogue.groups,
    list.locked,
    online,
    readonly,
    userId,
    columns,
    hideEnvironment,
    unusedDays,
  ]
  const draw = () => (isReadable(key) ? keyRow(tab, key) : unreadableRow(tab, key))
  return guard([minute, copied, ...own, ...rights, ...shared], draw)
}

function unreadableRow({ locale }: Tab, { id, named }: UnreadableKey): TemplateResult {
  return html`
    <tr role="row" part="row" class="unreadable">
      <th role="rowheader" scope="row" colspan="8" tabindex="-1" data-row=${id}>
        <span class="muted">${locale.text('row.unreadable')}</span>
        ${named ? html`<span class="muted small">${locale.rich('err.ref', { ref: id })}</span>` : nothing}
      </th>
    </tr>
  `
}

function keyRow(tab: Tab, key: WireKey): TemplateResult {
  const { lazy, list, locale, settings } = tab
  return html`
    <tr role="row" part="row" class="${key.status} ${list.fresh.has(key.id) ? 'fresh' : ''} ${settings.readonly ? '' : 'acting'}">
      <th role="rowheader" scope="row">
        <span class="name">${lazy.file?.chooseBox(tab, key)}${nameButton(tab, key)}</span>
        <span part="creator" class="muted by">${creator(tab, key)}</span>
        ${scopes(tab, key)}${lineage(tab, key)}${isRestricted(key) ? html`<span class="muted by">${locale.text('badge.restricted')}</span>` : nothing}
      </th>
      ${shownColumns(tab).map((column) => cells[column](tab, key))}
      ${settings.readonly ? nothing : rowActions(tab, key)}
    </tr>
  `
}

/** What stands in each column. */
const cells = {
  key: (tab: Tab, key: WireKey) => html`<td role="gridcell" class="c-key">${prefix(tab, key)}</td>`,
  type: (tab: Tab, key: WireKey) =>
    html`<td role="gridcell" class="c-type">${environmentBadge(tab, key)}</td>`,
  created: ({ locale }: Tab, { createdAt }: WireKey) =>
    html`<td role="gridcell" class="c-created">${locale.dates.day(createdAt)}</td>`,
  'last-used': (tab: Tab, key: WireKey) =>
    html`<td role="gridcell" class="c-last labelled" part="last-used" data-l=${tab.locale.text('col.last')}>${lastUsed(tab, key)}${unusedNote(tab, key)}</td>`,
  uses: ({ locale }: Tab, { uses }: WireKey) =>
    html`<td role="gridcell" class="c-uses number labelled" part="uses" data-l=${locale.text('col.uses')}><span class="sr">${locale.text('uses.sr', { n: uses })}</span
      ><bdi aria-hidden="true" class="uses">${locale.number(uses)}</bdi></td>`,
  status: (tab: Tab, key: WireKey) =>
    html`<td role="gridcell" class="c-status">${statusCell(tab, key)}</td>`,
}

/** The columns that the page wants, in their order. */
export function shownColumns({ settings }: Tab): readonly (keyof typeof cells)[] {
  const wanted = settings.columns.split(/[\s,]+/)
  const names = Object.keys(cells) as (keyof typeof cells)[]
  return names.filter(
    (name) => wanted.includes(name) && !(name === 'type' && settings.hideEnvironment),
  )
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
    tabindex="-1"
    data-row=${key.id}
    aria-haspopup="dialog"
    @click=${() => lazy.open(({ details }) => details.show(key))}
  ><bdi part="name">${drawable(key.name)}</bdi></button>`
}

/** The key before this one or after it, where it is loaded. */
function lineage(
  { list, locale }: Tab,
  { replaces, replacedBy }: WireKey,
): TemplateResult | typeof nothing {
  const name = list.find(replacedBy ?? replaces)?.name
  if (name === undefined) return nothing
  const word = replacedBy ? 'lineage.rotated' : 'lineage.replacement'
  return html`<span part="lineage" class="muted by">${locale.rich(word, { name })}</span>`
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
  return html`<time tabindex="-1" datetime=${lastUsedAt} title=${locale.dates.full(lastUsedAt)}
    >${capital(locale.dates.recent(lastUsedAt, Date.now()))}</time
  >`
}

function unusedNote({ locale, settings }: Tab, key: WireKey): TemplateResult | typeof nothing {
  if (!key.lastUsedAt || !isUnused(key, settings.unusedDays)) return nothing
  const time = locale.dates.days(settings.unusedDays)
  return html`<span class="small since soon">${locale.rich('unused', { time })}</span>`
}

// Not `details`: its shadow tree, once in every row, is a fifth of what laying out and removing rows costs.
function scopes(tab: Tab, key: WireKey): TemplateResult {
  const { lazy, locale, view } = tab
  const open = view.unfolded.has(key.id)
  const n = key.scopes.length
  return html`<div part="scopes" class=${open ? 'scopes open' : 'scopes'}>
    <button
      class="fold"
      type="button"
      tabindex="-1"
      aria-expanded=${open}
      aria-label="${locale.text('count.scopes', { n })} (${drawable(key.name)})"
      @click=${() => lazy.open(() => view.fold(key.id))}
    >${locale.rich('count.scopes', { n })}</button>
    ${open ? lazy.file?.scopeList(tab, key, true) : nothing}
  </div>`
}
