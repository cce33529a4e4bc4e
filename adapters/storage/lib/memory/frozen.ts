import type { AuditEventRecord, KeyRecord } from '../../../../src/storage/index.ts'

/** A copy of a record that nobody can change. */
export function frozenRecord(record: KeyRecord): KeyRecord {
  return frozenCopy(record)
}

/** A copy of an event that nobody can change. */
export function frozenEvent(event: AuditEventRecord): AuditEventRecord {
  return frozenCopy(event)
}

/** What a change of a key sets; the version and `updatedAtMs` come with every change. */
export type Changes = Partial<Omit<KeyRecord, 'id' | 'hash' | 'version' | 'updatedAtMs'>>

/** The state of a frozen record after a change. What stays the same is shared, not copied. */
export function changedRecord(record: KeyRecord, changes: Changes, updatedAtMs: number): KeyRecord {
  const version = record.version + 1
  return Object.freeze({ ...record, ...frozenCopy(changes), version, updatedAtMs })
}

/** For values that JSON can hold. */
function frozenCopy<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return Object.freeze(value.map(frozenCopy)) as T
  const entries = Object.entries(value).map(([name, inner]) => [name, frozenCopy(inner)])
  return Object.freeze(Object.fromEntries(entries)) as T
}
