import type { AuditEventRecord } from '../model/audit-event.ts'
import type { KeyRecord, StoredKey } from '../model/key-record.ts'
import { USAGE_OUTCOMES } from '../model/usage-outcome.ts'
import type { LaggingNode, LoggedChange, NodeCount, Renewal } from './change-log.ts'
import type {
  ErasureOutcome,
  EventQuery,
  ExpiredOutcome,
  InsertOutcome,
  KeyPage,
  LoggedOutcome,
  NoticeDue,
  NoticeQuery,
  PeriodCount,
  RevokeManyChange,
  RevokeManyOutcome,
  RotateChange,
  RotateOutcome,
  StaleOutcome,
  UpdateChange,
  UpdateOutcome,
  UsageCounts,
} from './contract.ts'
import { assertRecord, assertUsage, isCount, isInstant, isText } from './record-checks.ts'

/*
 * Checks what a storage answered before it is believed. An invalid answer must become an outage: not
 * a verdict about a key, not a key of another workspace, not an `undefined` in the caller's hands.
 */

/** The record with this hash, or `null`; its fields are still to be checked. */
export function recordAnswer(answer: KeyRecord | null, hash: string): KeyRecord | null {
  assertAnswer(answer === null || Object(answer).hash === hash, 'another key')
  return answer
}

/** The expected key, or `null`. Throws when it is another one or invalid. */
export function keyAnswer(
  answer: StoredKey | null,
  expected: { readonly workspaceId: string; readonly id?: string },
): StoredKey | null {
  return answer === null ? null : keyOf(answer, expected)
}

/** A key that must be there. */
export function keyOf(
  record: StoredKey,
  { workspaceId, id }: { readonly workspaceId: string; readonly id?: string },
): StoredKey {
  assertRecord(record)
  assertUsage(record)
  const same = record.workspaceId === workspaceId && (id === undefined || record.id === id)
  assertAnswer(same, 'another key')
  return record
}

/** `null` when the key was inserted, else `erased` or how many keys are active. */
export function insertAnswer(
  answer: InsertOutcome,
  activeLimit: number | null,
): number | 'erased' | null {
  if (answer.inserted === true) return null
  assertAnswer(answer.inserted === false, 'an invalid outcome')
  if ('isErased' in answer) {
    assertAnswer(answer.isErased === true, 'an invalid outcome')
    return 'erased'
  }
  const { activeKeys } = answer
  const sane = activeLimit !== null && isCount(activeKeys)
  assertAnswer(sane, 'an invalid outcome')
  return activeKeys
}

/** A page of keys of one workspace, or `null`. */
export function pageAnswer(answer: KeyPage | null, workspaceId: string): KeyPage | null {
  if (answer === null) return null
  for (const record of answer.records) keyOf(record, { workspaceId })
  assertAnswer(typeof answer.more === 'boolean' && isCount(answer.activeKeys), 'an invalid page')
  assertAnswer(answer.total === null || isCount(answer.total), 'an invalid page')
  return answer
}

/** The outcome of a change, if it is one of those that exist. */
export function outcomeAnswer<T extends { readonly outcome: string }>(
  answer: T,
  outcomes: readonly T['outcome'][],
): T {
  assertAnswer(outcomes.includes(answer.outcome), 'an invalid outcome')
  return answer
}

/** Which keys a step has revoked: some of those that it was given. */
export function revokedManyAnswer(
  answer: RevokeManyOutcome,
  { keys }: RevokeManyChange,
): RevokeManyOutcome {
  const given = new Set(keys.map(({ id }) => id))
  const isSome = Array.isArray(answer.revoked) && answer.revoked.every((id) => given.has(id))
  assertAnswer(isSome, 'an invalid outcome')
  return answer
}

/** The outcome of an update, if it fits the change. */
export function updateAnswer(answer: UpdateOutcome, change: UpdateChange): UpdateOutcome {
  const result = outcomeAnswer(answer, ['updated', 'stale', 'expired', 'not_found'])
  if (result.outcome === 'not_found') return result
  const { version } = keyOf(result.record, change)
  if (result.outcome !== 'updated') return refusalAnswer(result)
  assertAnswer(version > change.version, 'a key that was not updated')
  sequenceOf(result)
  return result
}

/** Why a key was not changed. Only a key that has an end can have expired. */
function refusalAnswer<T extends StaleOutcome | ExpiredOutcome>(answer: T): T {
  const { outcome, record } = answer
  assertAnswer(outcome !== 'expired' || record.expiresAtMs !== null, 'an invalid outcome')
  return answer
}

/** The outcome of a rotation, if it fits the change. */
export function rotateAnswer(answer: RotateOutcome, change: RotateChange): RotateOutcome {
  const outcomes = ['rotated', 'stale', 'expired', 'too_many_retiring', 'not_found'] as const
  const result = outcomeAnswer(answer, outcomes)
  const { workspaceId, replacement } = change
  switch (result.outcome) {
    case 'stale':
    case 'expired':
      keyOf(result.record, change)
      refusalAnswer(result)
      break
    case 'too_many_retiring':
      assertAnswer(isCount(result.retiringKeys), 'an invalid outcome')
      break
    case 'rotated': {
      const { replacedBy, revokedAtMs, retiresAtMs } = keyOf(result.replaced, change)
      const isEnding = revokedAtMs !== null || retiresAtMs !== null
      assertAnswer(isEnding && replacedBy === replacement.id, 'a key that was not replaced')
      keyOf(result.replacement, { workspaceId, id: replacement.id })
      sequenceOf(result)
    }
  }
  return result
}

/** The key that a change has revoked. */
export function revokedKey(
  record: StoredKey,
  expected: { readonly workspaceId: string; readonly id: string },
): StoredKey {
  assertAnswer(keyOf(record, expected).revokedAtMs !== null, 'a key that is not revoked')
  return record
}

/** Events of one workspace, or `null`. */
export function eventsAnswer(
  answer: readonly AuditEventRecord[] | null,
  workspaceId: string,
  { limit }: EventQuery,
): readonly AuditEventRecord[] | null {
  if (answer === null) return null
  assertAnswer(Array.isArray(answer) && answer.length <= limit, 'an invalid page of events')
  for (const event of answer) {
    const sane = isText(event.id) && isText(event.keyId) && isInstant(event.atMs)
    assertAnswer(sane && event.workspaceId === workspaceId, 'an invalid event')
  }
  return answer
}

/** Counts of the history, or `null`. */
export function usageAnswer(answer: UsageCounts | null): UsageCounts | null {
  if (answer === null) return null
  for (const counts of [answer.hours, answer.days]) {
    assertAnswer(Array.isArray(counts) && counts.every(isPeriodCount), 'invalid counts of usage')
  }
  return answer
}

function isPeriodCount({ at, outcome, count }: PeriodCount): boolean {
  return Number.isSafeInteger(at) && USAGE_OUTCOMES.includes(outcome) && isCount(count)
}

/** The entry of the log that a change waits for, if there is one. */
export function sequenceOf({ sequence }: LoggedOutcome): number | undefined {
  return sequence === undefined ? undefined : countAnswer(sequence)
}

/** The answer to a confirmation. */
export function confirmAnswer(answer: LoggedOutcome): LoggedOutcome {
  sequenceOf(answer)
  return answer
}

/** Keys whose notices are due. */
export function noticesAnswer(
  answer: readonly NoticeDue[],
  { limit }: NoticeQuery,
): readonly NoticeDue[] {
  assertAnswer(Array.isArray(answer) && answer.length <= limit, 'invalid notices')
  for (const { record, dueAtMs } of answer) {
    assertRecord(record)
    assertAnswer(isInstant(dueAtMs), 'invalid notices')
  }
  return answer
}

/** What a step of an erasure or a purge did. */
export function erasureAnswer(answer: ErasureOutcome): ErasureOutcome {
  const { keys, events, more } = answer
  assertAnswer(isCount(keys) && isCount(events), 'an invalid outcome')
  // A step that has done nothing would be repeated for ever.
  assertAnswer(more === false || (more === true && keys + events > 0), 'an invalid outcome')
  sequenceOf(answer)
  return answer
}

/** The answer to a renewal. */
export function renewalAnswer(answer: Renewal): Renewal {
  const renewal = outcomeAnswer(answer, ['renewed', 'evicted'])
  if (renewal.outcome === 'evicted') return renewal
  const { isSameLog, head, changes } = renewal
  const sane = changes === null || (Array.isArray(changes) && changes.every(isChange))
  const isKnown = typeof isSameLog === 'boolean'
  assertAnswer(sane && isKnown && isCount(head), 'an invalid renewal')
  return renewal
}

/** Nodes that have not acknowledged a change. */
export function nodesAnswer(answer: readonly LaggingNode[]): readonly LaggingNode[] {
  const isNode = ({ node, leaseMs, renewal }: LaggingNode) =>
    isText(node) && isCount(leaseMs) && isCount(renewal)
  assertAnswer(Array.isArray(answer) && answer.every(isNode), 'invalid nodes')
  return answer
}

/** How many nodes there are, and their lag. */
export function nodeCountAnswer(answer: NodeCount): NodeCount {
  assertAnswer(isCount(answer.nodes) && isCount(answer.lag), 'an invalid count of nodes')
  return answer
}

/** The hashes of keys, at most `limit`. */
export function hashesAnswer(
  answer: readonly string[] | undefined,
  limit: number,
): readonly string[] {
  assertAnswer(Array.isArray(answer) && answer.every(isText), 'invalid hashes')
  return answer.slice(0, limit)
}

/** A sequence. */
export function countAnswer(answer: number): number {
  assertAnswer(isCount(answer), 'an invalid sequence')
  return answer
}

function isChange(change: LoggedChange): boolean {
  if (!isCount(change.sequence)) return false
  if (change.kind === 'key') return isText(change.hash)
  if (change.kind === 'plan') return change.workspaceId === null || isText(change.workspaceId)
  return change.kind === 'everything'
}

function assertAnswer(holds: boolean, otherwise: string): asserts holds {
  if (!holds) throw new TypeError(`The storage answered with ${otherwise}.`)
}
