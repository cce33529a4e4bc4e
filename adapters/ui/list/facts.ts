import { html, nothing, type TemplateResult } from 'lit'
import type { WireKey } from '../../client/index.ts'
import type { Context } from '../context.ts'
import { capital } from '../format/dates.ts'
import { drawable } from '../format/text.ts'
import type { Rich } from '../strings/translator.ts'
import { unusedDays } from './key-list.ts'

const dayMs = 86_400_000
const soonMs = 7 * dayMs

export function statusOf({ list, locale }: Context, { status }: WireKey): TemplateResult {
  return html`<span part="status status-${status}" class="dot ${status} ${list.locked ? 'dim' : ''}"
    >${locale.text(`status.${status}`)}</span
  >`
}

export function typeOf({ locale }: Context, { environment }: WireKey): TemplateResult {
  return html`<span part="badge badge-${environment}" class="type ${environment}"
    >${locale.text(`env.${environment}`)}</span
  >`
}

export function creatorOf({ locale, settings }: Context, { creator }: WireKey): Rich | string {
  if (!creator?.name) return locale.text('by.unknown')
  if (settings.userId && creator.id === settings.userId) return locale.text('by.you')
  return locale.rich('by', { name: creator.name })
}

/** The prefix of a key, with what it is for screen readers. */
export function prefixOf({ locale }: Context, key: WireKey): TemplateResult {
  const shown = drawable(key.prefix)
  return html`<span class="sr">${locale.text('key.sr', { prefix: shown })}</span
    ><code part="key" dir="ltr" translate="no" aria-hidden="true">${shown}…</code>`
}

/** When a key was last used, with the exact instant as its tooltip. */
export function lastUseOf({ locale }: Context, { lastUsedAt }: WireKey): TemplateResult {
  if (lastUsedAt === null) return html`<span class="muted">${locale.text('never')}</span>`
  return html`<time tabindex="0" datetime=${lastUsedAt} title=${locale.dates.full(lastUsedAt)}
    >${capital(locale.dates.recent(lastUsedAt, Date.now()))}</time
  >`
}

export function usesOf({ locale }: Context, { uses }: WireKey): TemplateResult {
  const short = uses < 1e4 ? locale.number(uses) : locale.short(uses)
  // Where no column says what it is, a word does.
  return html`<span class="sr">${locale.text('uses.sr', { n: uses })}</span
    ><span aria-hidden="true" class="uses-in-words">${locale.text('col.uses')}: <bdi>${short}</bdi></span
    ><bdi aria-hidden="true" class="uses" title=${uses < 1e7 ? nothing : locale.number(uses)}
    >${uses < 1e7 ? locale.number(uses) : locale.short(uses)}</bdi
  >`
}

/** What is to come of a key, or has come of it, and whether that is soon. */
export function dueOf(context: Context, key: WireKey) {
  const { dates, rich, text } = context.locale
  const { expiresAt, lastUsedAt, pausedBy, retiresAt, revokedAt, status } = key
  const later = (words: Rich | string) => ({ words, soon: false })
  if (status === 'retiring' && retiresAt !== null) {
    return { words: rich('due.retires', { date: dates.moment(retiresAt) }), soon: true }
  }
  if (status === 'paused' && pausedBy?.name) {
    const own = context.settings.userId && pausedBy.id === context.settings.userId
    return later(own ? text('due.paused.you') : rich('due.paused', { name: pausedBy.name }))
  }
  const end = status === 'revoked' ? revokedAt : expiresAt
  if (status === 'revoked' || status === 'expired') return end ? later(dates.day(end)) : null
  if (end !== null) {
    const soon = Date.parse(end) - Date.now() < soonMs
    return { words: rich('due.expires', { date: dates.coming(end, Date.now()) }), soon }
  }
  const idle = lastUsedAt === null ? 0 : Date.now() - Date.parse(lastUsedAt)
  if (idle <= unusedDays * dayMs) return null
  return { words: rich('unused', { time: dates.days(unusedDays) }), soon: true }
}

export function dueSpan(due: ReturnType<typeof dueOf>): TemplateResult | typeof nothing {
  return due === null
    ? nothing
    : html`<span class="due ${due.soon ? 'soon' : ''}">${due.words}</span>`
}

/** Whether a key can be changed and rotated: one that is neither ending nor has ended. */
export function isChangeable({ status }: WireKey): boolean {
  return status === 'active' || status === 'paused'
}

/** What can be done with a key beside its buttons. */
export function itemsOf({ list, may }: Context, key: WireKey) {
  const resumes = key.status === 'paused' && !list.locked && key.withinGrant !== false
  const offered = {
    edit: isChangeable(key) && may('update'),
    pause: key.status === 'active' && may('pause'),
    resume: resumes && may('resume'),
  }
  return (['edit', 'pause', 'resume'] as const).filter((item) => offered[item])
}

/** Rotate and Revoke, or Stop now: in the row of a key and in its details. */
export function keyButtons(context: Context, key: WireKey): readonly unknown[] {
  const { list, may } = context
  const rotates = isChangeable(key) && !list.locked && may('rotate')
  const revokes = key.status !== 'revoked' && may('revoke')
  const revoke = key.status === 'retiring' ? 'stop' : 'revoke'
  return [
    rotates ? button(context, key, 'rotate') : nothing,
    revokes ? button(context, key, revoke) : nothing,
  ]
}

function button({ locale, shell }: Context, key: WireKey, word: 'rotate' | 'revoke' | 'stop') {
  const barred = word === 'rotate' && key.withinGrant === false
  const ask = () => shell.open(word === 'rotate' ? 'rotate' : 'revoke', key)
  return html`<button part="${word}-button" class=${word === 'rotate' ? 'quiet' : 'quiet danger'}
      type="button" aria-haspopup="dialog"
      aria-label=${locale.text(`${word}.sr`, { name: key.name })}
      aria-disabled=${barred ? 'true' : nothing}
      title=${barred ? locale.text('grant.key') : nothing} @click=${() => barred || ask()}>
    ${locale.text(word)}
  </button>`
}
