import type { AuditEventRecord, KeyRecord } from '../../../../src/storage/index.ts'

/** A copy of a record that nobody can change. */
export function frozenRecord(record: KeyRecord): KeyRecord {
  return Object.freeze({
    ...record,
    scopes: Object.freeze([...record.scopes]),
    creator: Object.freeze({ ...record.creator }),
  })
}

/** The state of a frozen record after a change. What stays the same is shared, not copied. */
export function changedRecord(record: KeyRecord, change: Changes): KeyRecord {
  return Object.freeze({ ...record, ...change })
}

/** What changes in the life of a key. */
export type Changes = Partial<Pick<KeyRecord, 'revokedAtMs' | 'replacedBy'>>

/** A copy of an event that nobody can change. */
export function frozenEvent(event: AuditEventRecord): AuditEventRecord {
  const scopes = Object.freeze([...event.data.scopes])
  return Object.freeze({
    ...event,
    actor: Object.freeze({ ...event.actor }),
    data: Object.freeze({ ...event.data, scopes }),
  } as AuditEventRecord)
}
