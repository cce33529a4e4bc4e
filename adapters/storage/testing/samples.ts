import type { Person } from '../../../src/index.ts'
import {
  type AuditEventRecord,
  type KeyRecord,
  type KeyState,
  NEW_KEY_STATE,
  type RevokeChange,
  type RotateChange,
  stateOf,
  type UpdateChange,
} from '../../../src/storage/index.ts'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const HEX = '0123456789abcdef'
const START_MS = Date.UTC(2026, 0, 1)

/** The workspace of every sample record, by default. */
export const WORKSPACE = 'ws_sample'

/** Who acts in the events that these builders make, by default. */
const ACTOR: Person = { id: 'u_operator', name: 'نورة' }

/**
 * A key record with a fresh random `id` and `hash`, active; `fields` override what
 * they name.
 *
 * @example
 * ```ts
 * import { sampleRecord } from 'miftah/testing'
 *
 * const record = sampleRecord({ workspaceId: 'ws_1', environment: 'test' })
 * ```
 */
export function sampleRecord(fields: Partial<KeyRecord> = {}): KeyRecord {
  const environment = fields.environment ?? 'live'
  return {
    hash: randomText(HEX, 64),
    id: `key_${randomText(ALPHABET, 21)}`,
    workspaceId: WORKSPACE,
    name: 'CRM sync',
    environment,
    scopes: ['contacts.read', 'contacts.write'],
    prefix: `svc_${environment}_${randomText(ALPHABET, 3)}`,
    creator: { id: 'u_creator', name: 'Sami' },
    createdAtMs: START_MS,
    ...NEW_KEY_STATE,
    updatedAtMs: fields.createdAtMs ?? START_MS,
    ...fields,
  }
}

/**
 * The event that belongs to the insert of `record`, with a fresh id.
 *
 * @example
 * ```ts
 * import { memoryStorage } from 'miftah/memory'
 * import { sampleCreatedEvent, sampleRecord } from 'miftah/testing'
 *
 * const record = sampleRecord()
 * await memoryStorage().insert(record, null, sampleCreatedEvent(record)) //=> { inserted: true }
 * ```
 */
export function sampleCreatedEvent(record: KeyRecord): AuditEventRecord {
  return {
    ...eventBase(record, record.createdAtMs),
    type: 'api_key.created',
    data: snapshot(record),
  }
}

/**
 * A revocation of `record` with its event, one hour after its creation unless `revokedAtMs` says
 * otherwise, in milliseconds since the epoch.
 *
 * @example
 * ```ts
 * import { memoryStorage } from 'miftah/memory'
 * import { sampleRecord, sampleRevokeChange } from 'miftah/testing'
 *
 * const change = sampleRevokeChange(sampleRecord())
 * await memoryStorage().revoke(change) //=> { outcome: 'not_found' }
 * ```
 */
export function sampleRevokeChange(
  record: KeyRecord,
  revokedAtMs = record.createdAtMs + 3_600_000,
): RevokeChange {
  const data = { ...snapshot(record), endedOverlap: false, reason: null }
  return {
    workspaceId: record.workspaceId,
    id: record.id,
    revokedAtMs,
    event: { ...eventBase(record, revokedAtMs), type: 'api_key.revoked', data },
  }
}

/**
 * An update of `record` to the state that `changes` make of it, with its event, one hour after its
 * last change.
 *
 * @example
 * ```ts
 * import { memoryStorage } from 'miftah/memory'
 * import { sampleRecord, sampleUpdateChange } from 'miftah/testing'
 *
 * const change = sampleUpdateChange(sampleRecord(), { name: 'ERP sync' })
 * await memoryStorage().update(change) //=> { outcome: 'not_found' }
 * ```
 */
export function sampleUpdateChange(
  record: KeyRecord,
  changes: Partial<KeyState> = { name: 'ERP sync' },
): UpdateChange {
  const state = stateOf({ ...record, ...changes })
  const { name } = state
  const updatedAtMs = record.updatedAtMs + 3_600_000
  const data = { ...snapshot(record), name, before: { name: record.name }, after: { name } }
  return {
    workspaceId: record.workspaceId,
    id: record.id,
    version: record.version,
    updatedAtMs,
    state,
    event: { ...eventBase(record, updatedAtMs), type: 'api_key.updated', data },
  }
}

/**
 * A rotation of `record` without an overlap, with its event, one hour after its creation; the
 * replacement takes over its workspace, name, environment and scopes unless `replacementFields` says
 * otherwise.
 *
 * @example
 * ```ts
 * import { memoryStorage } from 'miftah/memory'
 * import { sampleRecord, sampleRotateChange } from 'miftah/testing'
 *
 * const change = sampleRotateChange(sampleRecord(), { name: 'CRM sync (rotated)' })
 * await memoryStorage().rotate(change) //=> { outcome: 'not_found' }
 * ```
 */
export function sampleRotateChange(
  record: KeyRecord,
  replacementFields: Partial<KeyRecord> = {},
): RotateChange {
  const rotatedAtMs = record.createdAtMs + 3_600_000
  const replacement = sampleRecord({
    workspaceId: record.workspaceId,
    name: record.name,
    environment: record.environment,
    scopes: record.scopes,
    createdAtMs: rotatedAtMs,
    replaces: record.id,
    ...replacementFields,
  })
  const data = {
    ...snapshot(record),
    replacementId: replacement.id,
    replacementPrefix: replacement.prefix,
    replacementScopes: replacement.scopes,
    overlapEndsAt: null,
  }
  return {
    workspaceId: record.workspaceId,
    id: record.id,
    version: record.version,
    rotatedAtMs,
    retiresAtMs: null,
    retiringLimit: null,
    replacement,
    event: { ...eventBase(record, rotatedAtMs), type: 'api_key.rotated', data },
  }
}

function eventBase(record: KeyRecord, atMs: number) {
  const id = `evt_${randomText(ALPHABET, 21)}`
  return { id, atMs, workspaceId: record.workspaceId, actor: { ...ACTOR }, keyId: record.id }
}

function snapshot({ name, environment, scopes, prefix }: KeyRecord) {
  return { name, environment, scopes, prefix }
}

// These ids only have to differ, so the slight bias of the remainder does not matter here.
function randomText(alphabet: string, length: number): string {
  const bytes = crypto.getRandomValues(new Uint8Array(length))
  return Array.from(bytes, (byte) => alphabet[byte % alphabet.length]).join('')
}
