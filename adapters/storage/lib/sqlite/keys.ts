import type {
  AuditEventRecord,
  InsertOutcome,
  KeyPage,
  KeyPageQuery,
  KeyRecord,
  RevokeChange,
  RevokeManyChange,
  RevokeManyOutcome,
  RevokeOutcome,
  RotateChange,
  RotateOutcome,
  StoredKey,
  UpdateChange,
  UpdateOutcome,
} from '../../../../src/storage/index.ts'
import { refusalOf } from '../decision.ts'
import { type ColumnKind, flatKey, flatState, KEY_COLUMNS, STATE_COLUMNS } from '../key-columns.ts'
import { keyRecordFrom, keyUsageFrom } from '../key-row.ts'
import { brokenColumn, integerIn, optionalIntegerIn, rowFrom } from '../row.ts'
import { checkStorableRecord, checkStorableState, isStorableText } from '../storable.ts'
import { StorageError } from '../storage-error.ts'
import type { SqliteValue } from './driver.ts'
import { hasEvent, insertEvent } from './events.ts'
import { bytesFromHash, hashFromBytes } from './hash-bytes.ts'
import { assertOneRow } from './one-row.ts'
import type { Statements } from './statements.ts'
import { snapshot } from './transaction.ts'

/** See `KeyStorage.findByHash`. */
export function findByHash(sql: Statements, hash: string): KeyRecord | null {
  const bytes = bytesFromHash(hash)
  const row = bytes && sql.keyByHash.get(bytes)
  return row ? recordFrom(row) : null
}

/** See `KeyStorage.findById`. */
export function findById(sql: Statements, workspaceId: string, id: string): StoredKey | null {
  if (!isStorableText(workspaceId) || !isStorableText(id)) return null
  const row = sql.keyById.get(id, workspaceId)
  return row ? storedKeyFrom(row) : null
}

/** See `KeyStorage.insert`. */
export function insert(
  sql: Statements,
  { record, activeLimit, event }: Insertion,
  waitedMs: number,
): InsertOutcome {
  const before = findByHash(sql, record.hash)
  if (before?.id === record.id) return { inserted: true }
  if (isErased(sql, record.workspaceId)) return { inserted: false, isErased: true }
  if (sql.purgedKey.get(record.id, record.workspaceId)) return { inserted: true }
  if (activeLimit !== null) {
    const atMs = decidedAt(sql, record.workspaceId, record.createdAtMs + waitedMs)
    noteExpired(sql, record.workspaceId, atMs)
    const activeKeys = activeKeysOf(sql, record.workspaceId, atMs)
    if (activeKeys >= activeLimit) return { inserted: false, activeKeys }
  }
  insertKey(sql, record)
  insertEvent(sql, event)
  return { inserted: true }
}

/** What `insert` is given. */
export interface Insertion {
  readonly record: KeyRecord
  readonly activeLimit: number | null
  readonly event: AuditEventRecord
}

/** See `KeyStorage.list`. */
export function list(sql: Statements, workspaceId: string, query: KeyPageQuery): KeyPage | null {
  if (!isStorableText(workspaceId)) {
    return query.after === null ? { records: [], more: false, activeKeys: 0, total: 0 } : null
  }
  return snapshot(sql, () => {
    const { after, atMs, limit } = query
    const beyond = after === null ? null : positionOf(sql, workspaceId, after)
    if (beyond === undefined) return null
    const values = { ...query, workspaceId, beyond, limit: limit + 1 }
    const rows = sql.pages.read(values)
    return {
      records: rows.slice(0, limit).map(storedKeyFrom),
      more: rows.length > limit,
      activeKeys: activeKeysOf(sql, workspaceId, atMs),
      total: after === null ? integerIn(rowFrom(sql.pages.count(values)), 'total') : null,
    }
  })
}

/** See `KeyStorage.update`. */
export function update(sql: Statements, change: UpdateChange, waitedMs: number): UpdateOutcome {
  const { workspaceId, id, version, updatedAtMs } = change
  const record = findById(sql, workspaceId, id)
  if (!record || isErased(sql, workspaceId)) return { outcome: 'not_found' }
  const atMs = decidedAt(sql, workspaceId, updatedAtMs + waitedMs)
  const refusal = refusalOf(record, change, atMs)
  if (refusal !== null) {
    commitDurably(sql)
    return { outcome: hasEvent(sql, change.event) ? 'updated' : refusal, record }
  }
  checkStorableState(change.state)
  const flat = flatState(change.state)
  const values = STATE_COLUMNS.map(({ field, kind }) => sqlValueOf(flat[field], kind))
  assertOneRow(sql.updateKey.run(...values, updatedAtMs, id, workspaceId, version))
  insertEvent(sql, change.event)
  return { outcome: 'updated', record: theKey(sql, workspaceId, id) }
}

/** See `KeyStorage.revoke`. */
export function revoke(sql: Statements, change: RevokeChange, waitedMs: number): RevokeOutcome {
  const { workspaceId, id, revokedAtMs } = change
  const record = findById(sql, workspaceId, id)
  if (!record) return { outcome: 'not_found' }
  if (record.revokedAtMs !== null) {
    commitDurably(sql)
    return { outcome: 'already_revoked', record }
  }
  const { retiresAtMs, version } = record
  const hasRetired = retiresAtMs !== null && retiresAtMs <= revokedAtMs + waitedMs
  const endMs = hasRetired ? retiresAtMs : revokedAtMs
  assertOneRow(sql.revokeKey.run(endMs, revokedAtMs, id, workspaceId, version))
  if (!hasRetired) insertEvent(sql, change.event)
  const outcome = hasRetired ? 'already_revoked' : 'revoked'
  return { outcome, record: theKey(sql, workspaceId, id) }
}

/** See `KeyStorage.revokeMany`. */
export function revokeMany(
  sql: Statements,
  { workspaceId, revokedAtMs, notUsedAfterMs = Infinity, keys }: RevokeManyChange,
  waitedMs: number,
): RevokeManyOutcome {
  const revoked = keys.filter(({ id, version, event }) => {
    const key = findById(sql, workspaceId, id)
    if (key === null) return false
    const lastUsedAtMs = key.lastUsedAtMs ?? key.createdAtMs
    const isDue = key.revokedAtMs === null && key.version === version
    if (!isDue || lastUsedAtMs > notUsedAfterMs) return hasEvent(sql, event)
    return revoke(sql, { workspaceId, id, revokedAtMs, event }, waitedMs).outcome === 'revoked'
  })
  commitDurably(sql)
  return { revoked: revoked.map(({ id }) => id) }
}

/** See `KeyStorage.rotate`. */
export function rotate(sql: Statements, change: RotateChange, waitedMs: number): RotateOutcome {
  const { workspaceId, id, replacement, rotatedAtMs, retiresAtMs } = change
  const record = findById(sql, workspaceId, id)
  if (!record || isErased(sql, workspaceId)) return { outcome: 'not_found' }
  const atMs = decidedAt(sql, workspaceId, rotatedAtMs + waitedMs)
  const refusal = refusalOf(record, change, atMs)
  if (refusal !== null) {
    return rotatedBefore(sql, record, replacement) ?? { outcome: refusal, record }
  }
  const retiringKeys = retiringKeysOf(sql, workspaceId, atMs)
  if (retiresAtMs !== null && retiringKeys >= (change.retiringLimit ?? Infinity)) {
    return { outcome: 'too_many_retiring', retiringKeys }
  }
  const revokedAtMs = retiresAtMs === null ? rotatedAtMs : null
  const guard = [id, workspaceId, change.version]
  assertOneRow(sql.endKey.run(revokedAtMs, retiresAtMs, replacement.id, rotatedAtMs, ...guard))
  insertKey(sql, { ...replacement, replaces: id })
  insertEvent(sql, change.event)
  const replaced = theKey(sql, workspaceId, id)
  return { outcome: 'rotated', replaced, replacement: theKey(sql, workspaceId, replacement.id) }
}

function isErased(sql: Statements, workspaceId: string): boolean {
  return Boolean(sql.isErased.get(workspaceId))
}

/** When a change is decided: a key that once counted as expired stays expired. */
function decidedAt(sql: Statements, workspaceId: string, atMs: number): number {
  return Math.max(atMs, expiredTo(sql, workspaceId) ?? atMs)
}

/** The latest end of a key that once counted as expired. */
function expiredTo(sql: Statements, workspaceId: string): number | null {
  const row = sql.expiredTo.get(workspaceId)
  return row ? optionalIntegerIn(rowFrom(row), 'expired_to_ms') : null
}

/** Notes which keys do not count any more at an instant. */
function noteExpired(sql: Statements, workspaceId: string, atMs: number): void {
  const endMs = optionalIntegerIn(rowFrom(sql.lastExpired.get(workspaceId, atMs)), 'end_ms')
  if (endMs === null || endMs <= (expiredTo(sql, workspaceId) ?? -Infinity)) return
  const { changes } = sql.noteExpired.run(endMs, workspaceId)
  if (Number(changes) === 0) sql.noteFirstExpired.run(endMs, workspaceId)
}

/** The answer if an earlier call has made the same rotation. */
function rotatedBefore(
  sql: Statements,
  record: StoredKey,
  { id, hash, workspaceId }: KeyRecord,
): RotateOutcome | null {
  const replacement = record.replacedBy === id ? findById(sql, workspaceId, id) : null
  if (replacement?.hash !== hash) {
    commitDurably(sql)
    return null
  }
  return { outcome: 'rotated', replaced: record, replacement }
}

/**
 * Makes the commit wait for the disk, because the program that revoked the key may not have waited.
 * SQLite syncs nothing for a transaction that writes nothing, nor writes a row that stays as it is.
 */
export function commitDurably(sql: Statements): void {
  sql.writeRow.run()
  sql.removeRow.run()
}

function insertKey(sql: Statements, record: KeyRecord): void {
  checkStorableRecord(record)
  const hash = bytesFromHash(record.hash)
  if (!hash) throw new StorageError('unstorable_value', 'a hash must be 64 lower-case hex digits')
  const flat = flatKey(record)
  const values = KEY_COLUMNS.map(({ field, kind }) => sqlValueOf(flat[field], kind))
  assertOneRow(sql.insertKey.run(hash, ...values))
}

function activeKeysOf(sql: Statements, workspaceId: string, atMs: number): number {
  const row = sql.activeKeys.get(workspaceId, workspaceId, atMs)
  return integerIn(rowFrom(row), 'active_keys')
}

function retiringKeysOf(sql: Statements, workspaceId: string, atMs: number): number {
  return integerIn(rowFrom(sql.retiringKeys.get(workspaceId, atMs)), 'retiring_keys')
}

/** Where a key is or was in its workspace; `undefined` for an unknown id. */
function positionOf(sql: Statements, workspaceId: string, id: string): number | undefined {
  if (!isStorableText(id)) return undefined
  const row = sql.keyPosition.get(id, workspaceId, id, workspaceId)
  return row ? integerIn(rowFrom(row), 'position') : undefined
}

function theKey(sql: Statements, workspaceId: string, id: string): StoredKey {
  return storedKeyFrom(sql.keyById.get(id, workspaceId))
}

/** Lists and objects are stored as JSON. */
function sqlValueOf(value: string | number | null | object, kind: ColumnKind): SqliteValue {
  const isJson = kind === 'networks' || (typeof value === 'object' && value !== null)
  return isJson ? JSON.stringify(value) : (value as SqliteValue)
}

function storedKeyFrom(row: unknown): StoredKey {
  return { ...recordFrom(row), ...keyUsageFrom(rowFrom(row)) }
}

/** The record in a row. */
export function recordFrom(value: unknown): KeyRecord {
  const row = rowFrom(value)
  return keyRecordFrom(row, hashFromBytes(row['hash']) ?? brokenColumn('hash'))
}
