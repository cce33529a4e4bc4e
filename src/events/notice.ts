import { leadsOf, nextNoticeAt } from '../model/notice-time.ts'
import type { Notice, NoticeDue } from '../storage/contract.ts'
import { expiryEvent, retirementEvent } from './new-event.ts'

/**
 * The notice to write at an instant about a key whose notice is due. One that the next has
 * overtaken is left out: a notice that a key will expire is useless once it has.
 */
export function noticeFor({ record, dueAtMs }: NoticeDue, nowMs: number): Notice {
  const { id, workspaceId, version, expiresAtMs, retiresAtMs, replacedBy } = record
  const notice = { workspaceId, id, version, dueAtMs }
  if (retiresAtMs !== null && replacedBy !== null) {
    const event = retirementEvent(record, { atMs: retiresAtMs, replacementId: replacedBy })
    return { ...notice, nextAtMs: null, event }
  }
  if (expiresAtMs === null) {
    throw new TypeError('The storage answered with a notice for a key that has no end.')
  }
  const past = leadsOf(expiresAtMs).filter((instant) => instant <= nowMs)
  const hasExpired = expiresAtMs <= nowMs
  const atMs = hasExpired ? expiresAtMs : Math.max(dueAtMs, ...past)
  const nextAtMs = hasExpired ? null : nextNoticeAt(record, atMs)
  return { ...notice, nextAtMs, event: expiryEvent(record, { atMs, expiresAtMs }) }
}
