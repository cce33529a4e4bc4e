import { html, nothing, type TemplateResult } from 'lit'
import type { WireKey } from '../../client/index.ts'
import type { Locale } from '../format/locale.ts'
import { hasEnded } from '../state/listed-key.ts'
import type { Tab } from '../state/tab.ts'

const soonMs = 7 * 86_400_000

/** Whether a key works, and until when. */
export function statusCell({ list, locale }: Tab, key: WireKey): TemplateResult {
  // Keys of a locked plan do not work, whatever they were.
  const status = list.locked && !hasEnded(key) ? 'inactive' : key.status
  const note = status === 'inactive' ? nothing : NOTES[key.status](locale, key)
  const left = Date.parse(key.expiresAt ?? '') - Date.now()
  const soon = key.status === 'active' && left < soonMs ? 'soon' : ''
  return html`<span part="status status-${status}" class="badge ${status}">${locale.text(`status.${status}`)}</span
    >${note === nothing ? note : html`<span class="small since ${soon}">${note}</span>`}`
}

type Note = (locale: Locale, key: WireKey) => unknown

const ending: Note = ({ dates, rich }, { expiresAt }) =>
  expiresAt === null
    ? nothing
    : rich('status.expiresAt', { date: dates.coming(expiresAt, Date.now()) })

const dayOf = (dates: Locale['dates'], instant: string | null) =>
  instant === null ? nothing : html`<bdi>${dates.day(instant)}</bdi>`

/** What is said beside each status. */
const NOTES: Readonly<Record<WireKey['status'], Note>> = {
  active: ending,
  paused: ({ rich }, { pausedBy }) =>
    pausedBy?.name ? rich('status.pausedBy', { name: pausedBy.name }) : nothing,
  retiring: ({ dates, rich }, { retiresAt }) =>
    retiresAt === null ? nothing : rich('status.retiresAt', { date: dates.moment(retiresAt) }),
  expired: ({ dates }, { expiresAt }) => dayOf(dates, expiresAt),
  revoked: ({ dates }, { revokedAt }) => dayOf(dates, revokedAt),
}
