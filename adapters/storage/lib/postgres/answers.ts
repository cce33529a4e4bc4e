import type {
  AuditEventRecord,
  InsertOutcome,
  KeyPage,
  KeyRecord,
  RevokeOutcome,
  RotateOutcome,
} from '../../../../src/storage/index.ts'
import { auditEventFrom } from '../event-row.ts'
import { keyRecordFrom } from '../key-row.ts'
import { integerIn, oneOfIn, rowFrom, type SqlRow, textIn } from '../row.ts'
import { StorageError } from '../storage-error.ts'

// Every answer is one JSON text. What does not look as the schema's functions write it is a fault
// (`broken_row`), never a guess.

/** Reads what `insert_key` answered. */
export function insertOutcome(answer: string | null): InsertOutcome {
  const { inserted, ...rest } = rowFrom(parsed(answer))
  return inserted === true
    ? { inserted }
    : { inserted: false, activeKeys: integerIn(rest, 'activeKeys') }
}

/** Reads what `revoke_key` answered. */
export function revokeOutcome(answer: string | null): RevokeOutcome {
  const row = rowFrom(parsed(answer))
  const outcome = oneOfIn(row, 'outcome', ['revoked', 'already_revoked', 'not_found'])
  return outcome === 'not_found' ? { outcome } : { outcome, record: keyIn(row, 'record') }
}

/** Reads what `rotate_key` answered. */
export function rotateOutcome(answer: string | null): RotateOutcome {
  const row = rowFrom(parsed(answer))
  const outcome = oneOfIn(row, 'outcome', ['rotated', 'already_revoked', 'not_found'])
  if (outcome !== 'rotated') return { outcome }
  return { outcome, replaced: keyIn(row, 'replaced'), replacement: keyIn(row, 'replacement') }
}

/** Reads one record, or `null`. */
export function key(answer: string | null): KeyRecord | null {
  const row = parsed(answer)
  return row === null ? null : keyFrom(row)
}

/** Reads a page of which one record more was asked for than it may hold. */
export function keyPage(answer: string | null, limit: number): KeyPage | null {
  const page = rowFrom(parsed(answer))
  if (page['isKnown'] !== true) return null
  const records = listOf(page['records']).map(keyFrom)
  const more = records.length > limit
  return { records: records.slice(0, limit), more, activeKeys: integerIn(page, 'activeKeys') }
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

function keyIn(row: SqlRow, name: string): KeyRecord {
  return keyFrom(row[name])
}

function keyFrom(value: unknown): KeyRecord {
  const row = rowFrom(value)
  return keyRecordFrom(row, textIn(row, 'hash'))
}

function eventFrom(value: unknown): AuditEventRecord {
  return auditEventFrom(rowFrom(value))
}

function parsed(answer: string | null): unknown {
  try {
    return JSON.parse(answer ?? 'null')
  } catch {
    return senseless()
  }
}

function listOf(value: unknown): readonly unknown[] {
  if (value === null) return []
  if (Array.isArray(value)) return value
  return senseless()
}

/** Throws; what the answer was is not told. */
function senseless(): never {
  throw new StorageError('broken_row', 'an answer of the server makes no sense')
}
