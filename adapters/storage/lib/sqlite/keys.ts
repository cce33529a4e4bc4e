import type {
  AuditEventRecord,
  InsertOutcome,
  KeyPage,
  KeyPageQuery,
  KeyRecord,
  RevokeChange,
  RevokeOutcome,
  RotateChange,
  RotateOutcome,
  StoredKey,
} from '../../../../src/storage/index.ts'
import { flatKey, KEY_COLUMNS } from '../key-columns.ts'
import { keyRecordFrom, keyUsageFrom } from '../key-row.ts'
import { brokenColumn, integerIn, rowFrom } from '../row.ts'
import { checkStorableRecord, isStorableText } from '../storable.ts'
import { StorageError } from '../storage-error.ts'
import type { SqliteValue } from './driver.ts'
import { insertEvent } from './events.ts'
import { bytesFromHash, hashFromBytes } from './hash-bytes.ts'
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
export function insert(sql: Statements, { record, activeLimit, event }: Insertion): InsertOutcome {
  const before = findByHash(sql, record.hash)
  if (before?.id === record.id) return { inserted: true }
  if (activeLimit !== null) {
    const activeKeys = activeKeysOf(sql, record.workspaceId)
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
    return query.after === null ? { records: [], more: false, activeKeys: 0 } : null
  }
  return snapshot(sql, () => {
    const before = positionBefore(sql, workspaceId, query.after)
    if (before === null) return null
    const { status, environment, limit } = query
    const filter = [environment, environment]
    const statement = { active: sql.activePage, revoked: sql.revokedPage, any: sql.page }
    const rows = statement[status ?? 'any'].all(workspaceId, before, ...filter, limit + 1)
    return {
      records: rows.slice(0, limit).map(storedKeyFrom),
      more: rows.length > limit,
      activeKeys: activeKeysOf(sql, workspaceId),
    }
  })
}

/** See `KeyStorage.revoke`. */
export function revoke(sql: Statements, change: RevokeChange): RevokeOutcome {
  const { workspaceId, id } = change
  const record = findById(sql, workspaceId, id)
  if (!record) return { outcome: 'not_found' }
  if (record.revokedAtMs !== null) {
    commitDurably(sql)
    return { outcome: 'already_revoked', record }
  }
  revokeKey(sql, change, null)
  insertEvent(sql, change.event)
  return { outcome: 'revoked', record: theKey(sql, workspaceId, id) }
}

/** See `KeyStorage.rotate`. */
export function rotate(sql: Statements, change: RotateChange): RotateOutcome {
  const { workspaceId, id, replacement } = change
  const record = findById(sql, workspaceId, id)
  if (!record) return { outcome: 'not_found' }
  if (record.revokedAtMs !== null) return rotatedBefore(sql, record, replacement)
  revokeKey(sql, change, replacement.id)
  insertKey(sql, { ...replacement, replaces: id })
  insertEvent(sql, change.event)
  const replaced = theKey(sql, workspaceId, id)
  return { outcome: 'rotated', replaced, replacement: theKey(sql, workspaceId, replacement.id) }
}

function rotatedBefore(
  sql: Statements,
  replaced: StoredKey,
  { id, hash, workspaceId }: KeyRecord,
): RotateOutcome {
  const replacement = replaced.replacedBy === id ? findById(sql, workspaceId, id) : null
  if (replacement?.hash !== hash) {
    commitDurably(sql)
    return { outcome: 'already_revoked' }
  }
  return { outcome: 'rotated', replaced, replacement }
}

/**
 * Makes the commit wait for the disk, because the program that revoked the key may not have waited.
 * SQLite syncs nothing for a transaction that writes nothing, nor writes a row that stays as it is.
 */
function commitDurably(sql: Statements): void {
  sql.writeRow.run()
  sql.removeRow.run()
}

function revokeKey(sql: Statements, change: RevokeChange, replacedBy: string | null): void {
  const { id, workspaceId, revokedAtMs } = change
  const { changes } = sql.revokeKey.run(revokedAtMs, replacedBy, id, workspaceId)
  if (Number(changes) !== 1) throw new Error(`revoking one key changed ${changes} rows`)
}

function insertKey(sql: Statements, record: KeyRecord): void {
  checkStorableRecord(record)
  const hash = bytesFromHash(record.hash)
  if (!hash) throw new StorageError('unstorable_value', 'a hash is 64 lower-case hex digits')
  const flat = flatKey(record)
  sql.insertKey.run(hash, ...KEY_COLUMNS.map(({ field }) => sqlValueOf(flat[field])))
}

function activeKeysOf(sql: Statements, workspaceId: string): number {
  return integerIn(rowFrom(sql.activeKeys.get(workspaceId)), 'active_keys')
}

/** Where a page begins: the position that its keys are before, or `null` for an unknown cursor. */
function positionBefore(sql: Statements, workspaceId: string, after: string | null): number | null {
  if (after === null) return Number.MAX_SAFE_INTEGER
  if (!isStorableText(after)) return null
  const row = sql.keyPosition.get(after, workspaceId)
  return row ? integerIn(rowFrom(row), 'position') : null
}

function theKey(sql: Statements, workspaceId: string, id: string): StoredKey {
  return storedKeyFrom(sql.keyById.get(id, workspaceId))
}

/** Lists are stored as JSON. */
function sqlValueOf(value: string | number | null | readonly string[]): SqliteValue {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value
}

function storedKeyFrom(row: unknown): StoredKey {
  return { ...recordFrom(row), ...keyUsageFrom(rowFrom(row)) }
}

function recordFrom(value: unknown): KeyRecord {
  const row = rowFrom(value)
  return keyRecordFrom(row, hashFromBytes(row['hash']) ?? brokenColumn('hash'))
}
