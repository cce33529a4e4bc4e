import {
  type AuditEventRecord,
  type HeldKey,
  type KeyRecord,
  NEW_KEY_STATE,
  type WorkspaceWrite,
} from '../../../src/storage/index.ts'
import { WORKSPACE } from './tools.ts'

const START_MS = Date.UTC(2026, 0, 1)
const HOUR_MS = 3_600_000

/** A key as it was read. */
type ReadKey = Pick<HeldKey, 'record' | 'edition'>

/** A key record with a fresh random `id` and `hash`, active; `fields` override what they name. */
export function sampleRecord(fields: Partial<KeyRecord> = {}): KeyRecord {
  const environment = fields.environment ?? 'live'
  return {
    hash: random() + random(),
    id: `key_${random().slice(0, 21)}`,
    workspaceId: WORKSPACE,
    name: 'CRM sync',
    environment,
    scopes: ['contacts.read', 'contacts.write'],
    prefix: `svc_${environment}_${random().slice(0, 3)}`,
    creator: { id: 'u_creator', name: 'Sami' },
    createdAtMs: START_MS,
    ...NEW_KEY_STATE,
    updatedAtMs: fields.createdAtMs ?? START_MS,
    ...fields,
  }
}

/** An event about `record`, with a fresh id: that it was created, unless `fields` say otherwise. */
export function sampleEvent(
  record: KeyRecord,
  fields: Partial<AuditEventRecord> = {},
): AuditEventRecord {
  return {
    id: `evt_${random().slice(0, 21)}`,
    atMs: record.updatedAtMs,
    workspaceId: record.workspaceId,
    actor: { id: 'u_operator', name: 'نورة' },
    keyId: record.id,
    type: 'api_key.created',
    data: snapshot(record),
    ...fields,
  } as AuditEventRecord
}

/** The step that stores a new key with its event. */
export function sampleInsertion(
  record: KeyRecord,
  fields: Partial<WorkspaceWrite> = {},
): WorkspaceWrite {
  return {
    workspaceId: record.workspaceId,
    ifAddedAtMost: null,
    adds: 1,
    keys: [{ record, ifEdition: null }],
    events: [sampleEvent(record)],
    ...fields,
  }
}

/** The step that changes a key, one hour after its last change. */
export function sampleUpdate(
  key: ReadKey,
  changes: Partial<KeyRecord> = { name: 'ERP sync' },
): WorkspaceWrite {
  const { name } = key.record
  const own = { before: { name }, after: { name: changes.name ?? name } }
  return changeOf(key, changes, 'api_key.updated', own)
}

/** The step that revokes a key, one hour after its last change unless `revokedAtMs` says otherwise. */
export function sampleRevocation(
  key: ReadKey,
  revokedAtMs = key.record.updatedAtMs + HOUR_MS,
): WorkspaceWrite {
  const changes = { revokedAtMs, updatedAtMs: revokedAtMs, noticeAtMs: null }
  return changeOf(key, changes, 'api_key.revoked', { endedOverlap: false, reason: null })
}

/**
 * The step that puts `replacement` in the place of a key, one hour after its last change: at once, or when the key
 * retires.
 *
 * @example
 * ```ts
 * import { memoryStorage } from 'miftah/memory'
 * import { sampleInsertion, sampleRecord, sampleRotation } from 'miftah/testing'
 *
 * const storage = memoryStorage()
 * const record = sampleRecord()
 * await storage.write([sampleInsertion(record)])
 * const step = sampleRotation({ record, edition: 1 }, sampleRecord())
 * await storage.write([step]) //=> [{ outcome: 'stored' }]
 * ```
 */
export function sampleRotation(
  key: ReadKey,
  replacement: KeyRecord,
  retiresAtMs: number | null = null,
): WorkspaceWrite {
  const { id, prefix, scopes } = replacement
  const { id: replaces, updatedAtMs } = key.record
  const isAtOnce = retiresAtMs === null
  const end = isAtOnce
    ? { revokedAtMs: updatedAtMs + HOUR_MS }
    : { retiresAtMs, noticeAtMs: retiresAtMs }
  const change = changeOf(key, { ...end, replacedBy: id }, 'api_key.rotated', {
    ...{ replacementId: id, replacementPrefix: prefix, replacementScopes: scopes },
    overlapEndsAt: isAtOnce ? null : new Date(retiresAtMs).toISOString(),
  })
  const keys = [...change.keys, { record: { ...replacement, replaces }, ifEdition: null }]
  return { ...change, adds: isAtOnce ? 1 : 2, keys }
}

/** The step that changes a key, with an event that has data of its own. */
function changeOf(
  { record, edition }: ReadKey,
  changes: Partial<KeyRecord>,
  type: AuditEventRecord['type'],
  own: object,
): WorkspaceWrite {
  const updatedAtMs = record.updatedAtMs + HOUR_MS
  const changed = { ...record, version: record.version + 1, updatedAtMs, ...changes }
  const event = { type, data: { ...snapshot(changed), ...own } } as Partial<AuditEventRecord>
  const keys = [{ record: changed, ifEdition: edition }]
  return sampleInsertion(changed, { adds: 0, keys, events: [sampleEvent(changed, event)] })
}

function snapshot({ name, environment, scopes, prefix }: KeyRecord) {
  return { name, environment, scopes, prefix }
}

/** 32 random digits and letters. */
function random(): string {
  return crypto.randomUUID().replaceAll('-', '')
}
