import type {
  AuditEventRecord,
  InsertOutcome,
  KeyPage,
  KeyPageQuery,
  KeyRecord,
  LoggedOutcome,
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
import { hasEvent, insertEvent } from './events.ts'
import { bytesFromHash, hashFromBytes } from './hash-bytes.ts'
import type { SqlStatements } from './statements.ts'
import { assertOneRow, changesOf, rowsOf, type SqlValue, type Work } from './work.ts'

/** See `KeyStorage.findById`. */
export function* findById(
  sql: SqlStatements,
  workspaceId: string,
  id: string,
): Work<StoredKey | null> {
  const row = yield sql.keyById.get(id, workspaceId)
  return row ? storedKeyFrom(row) : null
}

/** See `KeyStorage.insert`. */
export function* insert(
  sql: SqlStatements,
  { record, activeLimit, event }: Insertion,
  waitedMs: number,
): Work<InsertOutcome> {
  const before = yield sql.keyByHash.get(bytesFromHash(record.hash))
  if (before && recordFrom(before).id === record.id) return { inserted: true }
  if (yield* isErased(sql, record.workspaceId)) return { inserted: false, isErased: true }
  if (yield sql.purgedKey.get(record.id, record.workspaceId)) return { inserted: true }
  if (activeLimit !== null) {
    const atMs = yield* decidedAt(sql, record.workspaceId, record.createdAtMs + waitedMs)
    yield* noteExpired(sql, record.workspaceId, atMs)
    const activeKeys = yield* activeKeysOf(sql, record.workspaceId, atMs)
    if (activeKeys >= activeLimit) return { inserted: false, activeKeys }
  }
  yield* insertKey(sql, record)
  yield* insertEvent(sql, event)
  return { inserted: true }
}

/** What `insert` is given. */
export interface Insertion {
  readonly record: KeyRecord
  readonly activeLimit: number | null
  readonly event: AuditEventRecord
}

/** See `KeyStorage.confirm`. */
export function* confirm(sql: SqlStatements): Work<LoggedOutcome> {
  yield* commitDurably(sql)
  return {}
}

/** See `KeyStorage.list`. */
export function* list(
  sql: SqlStatements,
  workspaceId: string,
  query: KeyPageQuery,
): Work<KeyPage | null> {
  const { after, atMs, limit } = query
  const beyond = after === null ? null : yield* positionOf(sql, workspaceId, after)
  if (beyond === undefined) return null
  const values = { ...query, workspaceId, beyond, limit: limit + 1 }
  const rows = rowsOf(yield sql.pages.read(values))
  const total = after === null ? integerIn(rowFrom(yield sql.pages.count(values)), 'total') : null
  return {
    records: rows.slice(0, limit).map(storedKeyFrom),
    more: rows.length > limit,
    activeKeys: yield* activeKeysOf(sql, workspaceId, atMs),
    total,
  }
}

/** See `KeyStorage.update`. */
export function* update(
  sql: SqlStatements,
  change: UpdateChange,
  waitedMs: number,
): Work<UpdateOutcome> {
  const { workspaceId, id, version, updatedAtMs } = change
  const record = yield* findById(sql, workspaceId, id)
  if (!record || (yield* isErased(sql, workspaceId))) return { outcome: 'not_found' }
  const atMs = yield* decidedAt(sql, workspaceId, updatedAtMs + waitedMs)
  const refusal = refusalOf(record, change, atMs)
  if (refusal !== null) {
    yield* commitDurably(sql)
    return { outcome: (yield* hasEvent(sql, change.event)) ? 'updated' : refusal, record }
  }
  const flat = flatState(change.state)
  const values = STATE_COLUMNS.map(({ field, kind }) => sqlValueOf(flat[field], kind))
  assertOneRow(yield sql.updateKey.run(...values, updatedAtMs, id, workspaceId, version))
  yield* insertEvent(sql, change.event)
  return { outcome: 'updated', record: yield* theKey(sql, workspaceId, id) }
}

/** See `KeyStorage.revoke`. */
export function* revoke(
  sql: SqlStatements,
  change: RevokeChange,
  waitedMs: number,
): Work<RevokeOutcome> {
  const { workspaceId, id, revokedAtMs } = change
  const record = yield* findById(sql, workspaceId, id)
  if (!record) return { outcome: 'not_found' }
  if (record.revokedAtMs !== null) {
    yield* commitDurably(sql)
    return { outcome: 'already_revoked', record }
  }
  const { retiresAtMs, version } = record
  const hasRetired = retiresAtMs !== null && retiresAtMs <= revokedAtMs + waitedMs
  const endMs = hasRetired ? retiresAtMs : revokedAtMs
  assertOneRow(yield sql.revokeKey.run(endMs, revokedAtMs, id, workspaceId, version))
  if (!hasRetired) yield* insertEvent(sql, change.event)
  const outcome = hasRetired ? 'already_revoked' : 'revoked'
  return { outcome, record: yield* theKey(sql, workspaceId, id) }
}

/** See `KeyStorage.revokeMany`. */
export function* revokeMany(
  sql: SqlStatements,
  { workspaceId, revokedAtMs, notUsedAfterMs = Infinity, keys }: RevokeManyChange,
  waitedMs: number,
): Work<RevokeManyOutcome> {
  const revoked: string[] = []
  for (const { id, version, event } of keys) {
    const key = yield* findById(sql, workspaceId, id)
    if (key === null) continue
    const lastUsedAtMs = key.lastUsedAtMs ?? key.createdAtMs
    const isDue = key.revokedAtMs === null && key.version === version
    if (isDue && lastUsedAtMs <= notUsedAfterMs) {
      yield* revoke(sql, { workspaceId, id, revokedAtMs, event }, waitedMs)
    }
    if (yield* hasEvent(sql, event)) revoked.push(id)
  }
  yield* commitDurably(sql)
  return { revoked }
}

/** See `KeyStorage.rotate`. */
export function* rotate(
  sql: SqlStatements,
  change: RotateChange,
  waitedMs: number,
): Work<RotateOutcome> {
  const { workspaceId, id, replacement, rotatedAtMs, retiresAtMs } = change
  const record = yield* findById(sql, workspaceId, id)
  if (!record || (yield* isErased(sql, workspaceId))) return { outcome: 'not_found' }
  const atMs = yield* decidedAt(sql, workspaceId, rotatedAtMs + waitedMs)
  const refusal = refusalOf(record, change, atMs)
  if (refusal !== null) {
    return (yield* rotatedBefore(sql, record, replacement)) ?? { outcome: refusal, record }
  }
  const retiringKeys = yield* retiringKeysOf(sql, workspaceId, atMs)
  if (retiresAtMs !== null && retiringKeys >= (change.retiringLimit ?? Infinity)) {
    return { outcome: 'too_many_retiring', retiringKeys }
  }
  const revokedAtMs = retiresAtMs === null ? rotatedAtMs : null
  const guard = [id, workspaceId, change.version]
  assertOneRow(
    yield sql.endKey.run(revokedAtMs, retiresAtMs, replacement.id, rotatedAtMs, ...guard),
  )
  yield* insertKey(sql, { ...replacement, replaces: id })
  yield* insertEvent(sql, change.event)
  const replaced = yield* theKey(sql, workspaceId, id)
  return {
    outcome: 'rotated',
    replaced,
    replacement: yield* theKey(sql, workspaceId, replacement.id),
  }
}

function* isErased(sql: SqlStatements, workspaceId: string): Work<boolean> {
  return Boolean(yield sql.isErased.get(workspaceId))
}

/** When a change is decided: a key that once counted as expired stays expired. */
function* decidedAt(sql: SqlStatements, workspaceId: string, atMs: number): Work<number> {
  return Math.max(atMs, (yield* expiredTo(sql, workspaceId)) ?? atMs)
}

/** The latest end of a key that once counted as expired. */
function* expiredTo(sql: SqlStatements, workspaceId: string): Work<number | null> {
  const row = yield sql.expiredTo.get(workspaceId)
  return row ? optionalIntegerIn(rowFrom(row), 'expired_to_ms') : null
}

/** Notes which keys do not count any more at an instant. */
function* noteExpired(sql: SqlStatements, workspaceId: string, atMs: number): Work<void> {
  const endMs = optionalIntegerIn(rowFrom(yield sql.lastExpired.get(workspaceId, atMs)), 'end_ms')
  if (endMs === null || endMs <= ((yield* expiredTo(sql, workspaceId)) ?? -Infinity)) return
  const changes = changesOf(yield sql.noteExpired.run(endMs, workspaceId))
  if (changes === 0) yield sql.noteFirstExpired.run(endMs, workspaceId)
}

/** The answer if an earlier call has made the same rotation. */
function* rotatedBefore(
  sql: SqlStatements,
  record: StoredKey,
  { id, hash, workspaceId }: KeyRecord,
): Work<RotateOutcome | null> {
  const replacement = record.replacedBy === id ? yield* findById(sql, workspaceId, id) : null
  if (replacement?.hash !== hash) {
    yield* commitDurably(sql)
    return null
  }
  return { outcome: 'rotated', replaced: record, replacement }
}

/**
 * Makes the commit wait for the disk, because the program that revoked the key may not have waited.
 * SQLite syncs nothing for a transaction that writes nothing, nor writes a row that stays as it is.
 */
export function* commitDurably(sql: SqlStatements): Work<void> {
  yield sql.writeRow.run()
  yield sql.removeRow.run()
}

function* insertKey(sql: SqlStatements, record: KeyRecord): Work<void> {
  const flat = flatKey(record)
  const values = KEY_COLUMNS.map(({ field, kind }) => sqlValueOf(flat[field], kind))
  assertOneRow(yield sql.insertKey.run(bytesFromHash(record.hash), ...values))
}

function* activeKeysOf(sql: SqlStatements, workspaceId: string, atMs: number): Work<number> {
  const row = yield sql.activeKeys.get(workspaceId, workspaceId, atMs)
  return integerIn(rowFrom(row), 'active_keys')
}

function* retiringKeysOf(sql: SqlStatements, workspaceId: string, atMs: number): Work<number> {
  return integerIn(rowFrom(yield sql.retiringKeys.get(workspaceId, atMs)), 'retiring_keys')
}

/** Where a key is or was in its workspace; `undefined` for an unknown id. */
function* positionOf(
  sql: SqlStatements,
  workspaceId: string,
  id: string,
): Work<number | undefined> {
  const row = yield sql.keyPosition.get(id, workspaceId, id, workspaceId)
  return row ? integerIn(rowFrom(row), 'position') : undefined
}

function* theKey(sql: SqlStatements, workspaceId: string, id: string): Work<StoredKey> {
  return storedKeyFrom(yield sql.keyById.get(id, workspaceId))
}

/** Lists and objects are stored as JSON. */
function sqlValueOf(value: string | number | null | object, kind: ColumnKind): SqlValue {
  const isJson = kind === 'networks' || (typeof value === 'object' && value !== null)
  return isJson ? JSON.stringify(value) : (value as SqlValue)
}

function storedKeyFrom(row: unknown): StoredKey {
  return { ...recordFrom(row), ...keyUsageFrom(rowFrom(row)) }
}

/** The record in a row. */
export function recordFrom(value: unknown): KeyRecord {
  const row = rowFrom(value)
  return keyRecordFrom(row, hashFromBytes(row['hash']) ?? brokenColumn('hash'))
}
