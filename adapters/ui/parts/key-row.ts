import { html, nothing, type TemplateResult } from 'lit/html.js'
import type { WireKey } from '../../client/index.ts'
import { drawable } from '../format/text.ts'
import { isReadable, isRotatable, type ListedKey, type UnreadableKey } from '../state/listed-key.ts'
import type { Tab } from '../state/tab.ts'
import type { MessageId } from '../strings/messages.ts'

/** One row of the list: a key, or that there is one which cannot be displayed. */
export function listRow(tab: Tab, key: ListedKey): TemplateResult {
  return isReadable(key) ? keyRow(tab, key) : unreadableRow(tab, key)
}

function unreadableRow({ locale, settings }: Tab, { id, named }: UnreadableKey): TemplateResult {
  return html`
    <tr role="row" part="row" class="unreadable">
      <th role="rowheader" scope="row" colspan=${settings.readonly ? 6 : 7} tabindex="-1" data-row=${id}>
        <span class="muted">${locale.text('row.unreadable')}</span>
        ${named ? html`<span class="muted small">${locale.rich('err.ref', { id })}</span>` : nothing}
      </th>
    </tr>
  `
}

function keyRow(tab: Tab, key: WireKey): TemplateResult {
  const { locale } = tab
  return html`
    <tr role="row" part="row" class=${key.status}>
      <th role="rowheader" scope="row" tabindex="-1" data-row=${key.id}>
        <span part="name" class="name"><bdi>${drawable(key.name)}</bdi></span>
        <span part="creator" class="muted by">${creator(tab, key)}</span>
        ${scopes(tab, key)}
      </th>
      <td role="cell" data-l=${locale.text('col.key')}>${prefix(tab, key)}</td>
      <td role="cell" data-l=${locale.text('col.type')}>
        <span part="badge badge-${key.environment}" class="badge ${key.environment}"
          >${locale.text(key.environment === 'live' ? 'env.live' : 'env.test')}</span
        >
      </td>
      <td role="cell" data-l=${locale.text('col.last')}><span>${lastUsed(tab, key)}</span></td>
      <td role="cell" class="number" data-l=${locale.text('col.uses')}>
        <span
          ><span class="sr">${locale.rich('uses.sr', { n: key.uses })}</span
          ><bdi aria-hidden="true" class="uses">${locale.number(key.uses)}</bdi></span
        >
      </td>
      <td role="cell" data-l=${locale.text('col.status')}><span>${status(tab, key)}</span></td>
      ${tab.settings.readonly ? nothing : html`<td role="cell" class="actions">${actions(tab, key)}</td>`}
    </tr>
  `
}

function creator(tab: Tab, { creator }: WireKey): TemplateResult | string {
  if (!creator?.name) return tab.locale.text('by.unknown')
  if (tab.settings.userId && creator.id === tab.settings.userId) return tab.locale.text('by.you')
  return tab.locale.rich('by', { name: creator.name })
}

function prefix(tab: Tab, key: WireKey): TemplateResult {
  const shown = drawable(key.prefix)
  return html`<span
    ><span class="sr">${tab.locale.rich('key.sr', { prefix: shown })}</span
    ><code part="key" aria-hidden="true"><bdi dir="ltr" class="prefix">${shown}…</bdi></code></span
  >`
}

function lastUsed({ locale }: Tab, { lastUsedAt }: WireKey): TemplateResult {
  if (lastUsedAt === null) return html`<span class="muted">${locale.text('never')}</span>`
  return html`<time datetime=${lastUsedAt} title=${locale.dates.full(lastUsedAt)}
    >${locale.dates.recent(lastUsedAt, Date.now())}</time
  >`
}

function status({ locale }: Tab, key: WireKey): TemplateResult {
  const [id, instant] = SINCE[key.status](key)
  return html`<span part="status" class="badge ${key.status}"
      >${locale.text(`status.${key.status}`)}</span
    >${
      instant === null
        ? nothing
        : html`<span class="muted small since">${locale.rich(id, { date: locale.dates.day(instant) })}</span>`
    }`
}

/** What is said beside a status, and the day that it is about; `null` says nothing. */
const SINCE: Readonly<
  Record<WireKey['status'], (key: WireKey) => readonly [MessageId, string | null]>
> = {
  active: ({ expiresAt }) => ['status.expiresAt', expiresAt],
  paused: ({ expiresAt }) => ['status.expiresAt', expiresAt],
  retiring: ({ retiresAt }) => ['status.retiresAt', retiresAt],
  expired: ({ expiresAt }) => ['status.expiredAt', expiresAt],
  revoked: ({ revokedAt }) => ['status.revokedAt', revokedAt],
}

function scopes(tab: Tab, key: WireKey): TemplateResult {
  const { locale, catalogue } = tab
  return html`
    <details class="scopes">
      <summary>${locale.rich('count.scopes', { n: key.scopes.length })}</summary>
      <ul aria-label=${locale.text('scopes.of', { name: key.name })}>
        ${key.scopes.map(
          (scope) => html`<li>
            ${locale.label(catalogue.labelOf(scope) ?? {})} <code><bdi dir="ltr">${drawable(scope)}</bdi></code>
          </li>`,
        )}
      </ul>
    </details>
  `
}

function actions(tab: Tab, key: WireKey): TemplateResult | typeof nothing {
  if (key.status === 'revoked') return nothing
  const { locale, confirmation } = tab
  const button = (action: 'rotate' | 'revoke') => html`<button
    part="${action}-button"
    class=${action === 'rotate' ? '' : 'danger'}
    type="button"
    aria-haspopup="dialog"
    aria-label=${locale.text(`${action}.sr`, { name: key.name })}
    aria-disabled=${tab.online ? nothing : 'true'}
    aria-describedby=${tab.online ? nothing : 'offline-note'}
    @click=${() => tab.online && confirmation.ask(action, key)}
  >
    ${locale.text(action)}
  </button>`
  return html`<span class="row">${tab.list.locked || !isRotatable(key) ? nothing : button('rotate')}${button('revoke')}</span>`
}
