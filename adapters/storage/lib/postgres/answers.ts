import type {
  AuditEventRecord,
  ErasureOutcome,
  InsertOutcome,
  KeyPage,
  LoggedOutcome,
  NoticeDue,
  RevokeManyOutcome,
  RevokeOutcome,
  RotateOutcome,
  StoredKey,
  UpdateOutcome,
  UsageCounts,
} from '../../../../src/storage/index.ts'
import { auditEventFrom } from '../event-row.ts'
import { keyRecordFrom, keyUsageFrom } from '../key-row.ts'
import {
  integerIn,
  oneOfIn,
  optionalIntegerIn,
  rowFrom,
  type SqlRow,
  textIn,
  textsIn,
} from '../row.ts'
import { StorageError } from '../storage-error.ts'
import { periodCountFrom } from '../usage-history.ts'

// Every answer is one JSON text. An answer that the schema's functions do not write is an error
// (`broken_row`), never a guess.

/** Reads the answer of `insert_key`. */
export function insertOutcome(answer: string | null): InsertOutcome {
  const { inserted, isErased, ...rest } = rowFrom(parsed(answer))
  if (inserted === true) return { inserted }
  if (isErased === true) return { inserted: false, isErased }
  return { inserted: false, activeKeys: integerIn(rest, 'activeKeys') }
}

/** Reads the answer of `revoke_key`. */
export function revokeOutcome(answer: string | null): RevokeOutcome {
  const row = rowFrom(parsed(answer))
  const outcome = oneOfIn(row, 'outcome', ['revoked', 'already_revoked', 'not_found'])
  if (outcome === 'not_found') return { outcome }
  return { outcome, record: keyIn(row, 'record'), ...loggedIn(row) }
}

/** Reads the answer of `revoke_keys`. */
export function revokedMany(answer: string | null): RevokeManyOutcome {
  return { revoked: textsIn(rowFrom(parsed(answer)), 'revoked') }
}

/** Reads the answer of `rotate_key`. */
export function rotateOutcome(answer: string | null): RotateOutcome {
  const row = rowFrom(parsed(answer))
  const outcomes = ['rotated', 'stale', 'expired', 'too_many_retiring', 'not_found'] as const
  const outcome = oneOfIn(row, 'outcome', outcomes)
  switch (outcome) {
    case 'rotated': {
      const keys = { replaced: keyIn(row, 'replaced'), replacement: keyIn(row, 'replacement') }
      return { outcome, ...keys, ...loggedIn(row) }
    }
    case 'too_many_retiring':
      return { outcome, retiringKeys: integerIn(row, 'retiringKeys') }
    case 'stale':
    case 'expired':
      return { outcome, record: keyIn(row, 'record') }
    default:
      return { outcome }
  }
}

/** Reads the answer of `update_key`. */
export function updateOutcome(answer: string | null): UpdateOutcome {
  const row = rowFrom(parsed(answer))
  const outcome = oneOfIn(row, 'outcome', ['updated', 'stale', 'expired', 'not_found'])
  if (outcome === 'not_found') return { outcome }
  const record = keyIn(row, 'record')
  return outcome === 'updated' ? { outcome, record, ...loggedIn(row) } : { outcome, record }
}

/** Reads the answers of changes that were made together; `null` for one that was not made. */
export function changed(answer: string | null): readonly (string | null)[] {
  return listOf(parsed(answer)).map((text) => (typeof text === 'string' ? text : null))
}

/** Whether an answer says that its key has expired, by how `json_build_object` begins. */
export function saysExpired(answer: string | null): boolean {
  return answer?.startsWith('{"outcome" : "expired"') === true
}

/** Reads a list of keys whose notice is due. */
export function noticesDue(answer: string | null): readonly NoticeDue[] {
  return listOf(parsed(answer)).map((value) => {
    const row = rowFrom(value)
    const { uses: _uses, lastUsedAtMs: _lastUsedAtMs, ...record } = keyIn(row, 'record')
    return { record, dueAtMs: integerIn(row, 'dueAtMs') }
  })
}

/** Reads the answer of `store_notices`: how many were stored. */
export function storedNotices(answer: string | null): number {
  return integerIn(rowFrom(parsed(answer)), 'stored')
}

/** Reads the answer of a step of an erasure or a purge. */
export function erasureOutcome(answer: string | null): ErasureOutcome {
  const row = rowFrom(parsed(answer))
  const counts = { keys: integerIn(row, 'keys'), events: integerIn(row, 'events') }
  return { ...counts, more: row['more'] === true, ...loggedIn(row) }
}

/** Reads the answer of `confirm_keys`. */
export function confirmation(answer: string | null): LoggedOutcome {
  return loggedIn(rowFrom(parsed(answer)))
}

/** Reads one key, or `null`. */
export function key(answer: string | null): StoredKey | null {
  const row = parsed(answer)
  return row === null ? null : keyFrom(row)
}

/** Reads a page that was requested with one key more than its limit. */
export function keyPage(answer: string | null, limit: number): KeyPage | null {
  const page = rowFrom(parsed(answer))
  if (page['isKnown'] !== true) return null
  const records = listOf(page['records']).map(keyFrom)
  const more = records.length > limit
  return {
    records: records.slice(0, limit),
    more,
    activeKeys: integerIn(page, 'activeKeys'),
    total: optionalIntegerIn(page, 'total'),
  }
}

/** Reads a part of the history of usage. */
export function usageCounts(answer: string | null): UsageCounts | null {
  const row = rowFrom(parsed(answer))
  if (row['isKnown'] !== true) return null
  const counts = (period: 'hours' | 'days') => listOf(row[period]).map(periodCountFrom)
  return { hours: counts('hours'), days: counts('days') }
}

/** Reads a page of events. */
export function eventPage(answer: string | null): readonly AuditEventRecord[] | null {
  const page = rowFrom(parsed(answer))
  return page['isKnown'] === true ? listOf(page['records']).map(eventFrom) : null
}

/** Reads a list of events. */
export function events(answer: string | null): readonly AuditEventRecord[] {
  return listOf(parsed(answer)).map(eventFrom)
}

function loggedIn(row: SqlRow): LoggedOutcome {
  // Null where no node ever registered.
  return typeof row['sequence'] === 'number' ? { sequence: integerIn(row, 'sequence') } : {}
}

function keyIn(row: SqlRow, name: string): StoredKey {
  return keyFrom(row[name])
}

function keyFrom(value: unknown): StoredKey {
  const row = rowFrom(value)
  return { ...keyRecordFrom(row, textIn(row, 'hash')), ...keyUsageFrom(row) }
}

function eventFrom(value: unknown): AuditEventRecord {
  return auditEventFrom(rowFrom(value))
}

/** The value of an answer, which is JSON. */
export function parsed(answer: string | null): unknown {
  try {
    return JSON.parse(answer ?? 'null')
  } catch {
    return invalid()
  }
}

/** The list in an answer; `null` is an empty one. */
export function listOf(value: unknown): readonly unknown[] {
  if (value === null) return []
  if (Array.isArray(value)) return value
  return invalid()
}

/** Throws; the message does not quote the answer. */
function invalid(): never {
  throw new StorageError('broken_row', 'the answer of the server is invalid')
}
