import { namesOf } from '../lib/values.ts'
import type { AuditEventRecord } from '../model/audit-event.ts'
import { USAGE_OUTCOMES } from '../model/denial.ts'
import { type FieldKind, keyFields, usageFields } from '../model/key-fields.ts'
import type { KeyRecord, KeyUsage } from '../model/key-record.ts'
import { ENVIRONMENTS } from '../model/status.ts'
import { PREFIX_LENGTH } from '../secret/format.ts'
import type { Lag, LaggingNode, LoggedChange, NodeCount, Renewal } from './change-log.ts'
import type {
  EventPage,
  HeldKey,
  HourlyTotal,
  KeyPage,
  Progress,
  ViewQuery,
  WorkspaceView,
} from './contract.ts'

/*
 * Checks what a storage answered before it is believed. An invalid answer must become an outage: not
 * a verdict about a key, not a key of another workspace, not an `undefined` in the caller's hands.
 */

/** The record with this hash, or `null`; its fields are still to be checked. */
export function recordAnswer(answer: KeyRecord | null, hash: string): KeyRecord | null {
  assertAnswer(answer === null || Object(answer).hash === hash, 'another key')
  return answer
}

export function viewAnswer(
  answer: WorkspaceView,
  { workspaceId, ids, countAtMs }: ViewQuery,
): WorkspaceView {
  const { isErased, added, keys, eventIds, activeKeys, retiringKeys } = answer
  const isKnown = typeof isErased === 'boolean' && isCount(added) && eventIds.every(isText)
  const isCounted = countAtMs === null || (isCount(activeKeys) && isCount(retiringKeys))
  assertAnswer(isKnown && isCounted, 'an invalid view')
  for (const key of keys) {
    heldKey(key, workspaceId)
    assertAnswer(ids.includes(key.record.id), 'another key')
  }
  return answer
}

export function pageAnswer(answer: KeyPage, workspaceId: string): KeyPage {
  for (const key of answer.keys) heldKey(key, workspaceId)
  const { more, activeKeys, total } = answer
  const isCounted = [activeKeys, total].every((count) => count === null || isCount(count))
  assertAnswer(typeof more === 'boolean' && isCounted, 'an invalid page')
  return answer
}

/** Keys of any workspace, at most `limit`. */
export function keysAnswer(answer: readonly HeldKey[], limit: number): readonly HeldKey[] {
  assertAnswer(Array.isArray(answer) && answer.length <= limit, 'too many keys')
  for (const key of answer) heldKey(key)
  return answer
}

function heldKey({ record, usage, edition, place }: HeldKey, workspaceId?: string): void {
  assertRecord(record)
  assertUsage(usage)
  const isPlaced = isCount(place) && isCount(edition) && edition > 0
  assertAnswer(isPlaced, 'an invalid key')
  assertAnswer(workspaceId === undefined || record.workspaceId === workspaceId, 'another key')
}

export function eventsAnswer(answer: EventPage, workspaceId: string, limit: number): EventPage {
  const { events, last } = answer
  assertAnswer(Array.isArray(events) && events.length <= limit, 'an invalid page of events')
  assertAnswer(events.length === 0 || isCount(last), 'an invalid page of events')
  for (const event of events) assertAnswer(isEventOf(event, workspaceId), 'an invalid event')
  return answer
}

function isEventOf({ id, keyId, atMs, workspaceId: own }: AuditEventRecord, workspaceId: string) {
  return isText(id) && isText(keyId) && isInstant(atMs) && own === workspaceId
}

export function usageAnswer(answer: readonly HourlyTotal[] | null): readonly HourlyTotal[] | null {
  assertAnswer(answer === null || answer.every(isTotal), 'invalid counts of usage')
  return answer
}

function isTotal({ hour, outcome, count }: HourlyTotal): boolean {
  return Number.isSafeInteger(hour) && USAGE_OUTCOMES.includes(outcome) && isCount(count)
}

/** What one of several steps did. */
export function progressAnswer(answer: Progress): Progress {
  const { keys, events, more } = answer
  assertAnswer(isCount(keys) && isCount(events), 'an invalid outcome')
  // A step that has done nothing would be repeated for ever.
  assertAnswer(more === false || (more === true && keys + events > 0), 'an invalid outcome')
  return answer
}

export function renewalAnswer(answer: Renewal): Renewal {
  if (answer.outcome === 'evicted') return answer
  const { isSameLog, head, changes } = answer
  const isKnown = answer.outcome === 'renewed' && typeof isSameLog === 'boolean' && isCount(head)
  const areChanges = changes === null || (Array.isArray(changes) && changes.every(isChange))
  assertAnswer(isKnown && areChanges, 'an invalid renewal')
  return answer
}

export function lagAnswer(answer: Lag): Lag {
  const { head, nodes } = answer
  const isNode = ({ node, leaseMs, renewal }: LaggingNode) =>
    isText(node) && isCount(leaseMs) && isCount(renewal)
  assertAnswer(isCount(head) && Array.isArray(nodes) && nodes.every(isNode), 'invalid nodes')
  return answer
}

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

function isChange(change: LoggedChange): boolean {
  if (!isCount(change.sequence)) return false
  if (change.kind === 'key') return isText(change.hash)
  if (change.kind === 'plan') return change.workspaceId === null || isText(change.workspaceId)
  return change.kind === 'everything'
}

function assertAnswer(holds: boolean, otherwise: string): asserts holds {
  if (!holds) throw new TypeError(`The storage answered with ${otherwise}.`)
}

type Check = (value: unknown) => boolean

const CHECKS: { readonly [Kind in FieldKind]: Check } = {
  text: isText,
  'text?': orNull(isText),
  texts: (value) => Array.isArray(value) && value.every(isText),
  prefix: (value) => isText(value) && value.length <= PREFIX_LENGTH,
  hash: (value) => isText(value) && /^[0-9a-f]{64}$/.test(value),
  environment: (value) => ENVIRONMENTS.some((known) => known === value),
  metadata: isObjectOf((entry) => typeof entry === 'string'),
  resources: isObjectOf((ids) => Array.isArray(ids) && ids.every(isText)),
  networks: (value) => value === 'any' || (Array.isArray(value) && value.every(isText)),
  count: (value) => isCount(value),
  version: (value) => isCount(value) && value >= 1,
  instant: isInstant,
  'instant?': orNull(isInstant),
  person: isPerson,
  'person?': orNull(isPerson),
}

function checksOf<Field extends string>(
  fields: Readonly<Record<Field, { readonly kind: FieldKind }>>,
) {
  return namesOf(fields).map((field) => ({ field, holds: CHECKS[fields[field].kind] }))
}

const RECORD_CHECKS = checksOf(keyFields)
const USAGE_CHECKS = checksOf(usageFields)

/**
 * Throws when a storage returns a record that is invalid, naming the field and never its value. A broken row
 * must become an outage, not an open door.
 */
export function assertRecord(record: KeyRecord): void {
  for (const { field, holds } of RECORD_CHECKS) if (!holds(record[field])) throw invalid(field)
  // Only an imported key may have a shorter prefix than a secret has.
  if (record.format === null && record.prefix.length < PREFIX_LENGTH) throw invalid('prefix')
}

export function assertUsage(usage: KeyUsage): void {
  for (const { field, holds } of USAGE_CHECKS) if (!holds(usage[field])) throw invalid(field)
}

function invalid(field: string): TypeError {
  return new TypeError(`Stored key has an invalid ${field}.`)
}

function orNull(holds: Check): Check {
  return (value) => value === null || holds(value)
}

function isPerson(value: unknown): boolean {
  return isText(Object(value).id) && isText(Object(value).name)
}

function isObjectOf(holds: Check): Check {
  return (value) => {
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject && Object.values(value).every(holds)
  }
}

export function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

/** ECMA-262 §21.4.1.1: a time value is a whole number of at most ±8.64e15 milliseconds. */
export function isInstant(value: unknown): value is number {
  return Number.isInteger(value) && Math.abs(value as number) <= 8.64e15
}
