import type { WireKeyEvent } from '../../../adapters/client/index.ts'
import { ago, ahead } from './keys.ts'

const noura = { id: 'u_1', name: 'نورة' }
const omar = { id: 'u_2', name: 'Omar Haddad' }
const system = { id: 'miftah:system', name: 'miftah' }
const data = {
  name: 'Store server',
  environment: 'live',
  scopes: ['contacts.read'],
  prefix: 'svc_live_aBc',
} as const

const base = (at: number, actor = omar) => ({
  id: `evt_${at}`,
  at: ago.days(at),
  actor,
  keyId: 'key_store',
})

/** One event of each kind, newest first, by the word that its sentence is named for. */
export const everyEvent: Readonly<Record<string, WireKeyEvent>> = {
  retired: {
    ...base(1, system),
    type: 'api_key.retired',
    data: { ...data, replacementId: 'key_new', overlapEndsAt: ago.days(1) },
  },
  leaked: {
    ...base(2),
    type: 'api_key.revoked',
    data: { ...data, endedOverlap: true, reason: 'leaked' },
  },
  unused: {
    ...base(3),
    type: 'api_key.revoked',
    data: { ...data, endedOverlap: false, reason: 'unused' },
  },
  ended: {
    ...base(4),
    type: 'api_key.revoked',
    data: { ...data, endedOverlap: true, reason: null },
  },
  revoked: {
    ...base(5),
    type: 'api_key.revoked',
    data: { ...data, endedOverlap: false, reason: 'other' },
  },
  overlap: {
    ...base(6),
    type: 'api_key.rotated',
    data: {
      ...data,
      ...{
        replacementId: 'key_new',
        replacementPrefix: 'svc_live_xYz',
        replacementScopes: ['contacts.read'],
      },
      overlapEndsAt: ahead(1),
    },
  },
  rotated: {
    ...base(7),
    type: 'api_key.rotated',
    data: {
      ...data,
      ...{
        replacementId: 'key_new',
        replacementPrefix: 'svc_live_xYz',
        replacementScopes: ['contacts.read'],
        overlapEndsAt: null,
      },
    },
  },
  expired: {
    ...base(8, system),
    type: 'api_key.expired',
    data: { ...data, expiresAt: ago.days(8) },
  },
  expiring: {
    ...base(9, system),
    type: 'api_key.expiring',
    data: { ...data, expiresAt: ago.days(8) },
  },
  resumed: { ...base(10), type: 'api_key.resumed', data },
  paused: { ...base(11), type: 'api_key.paused', data },
  fields: {
    ...base(12),
    type: 'api_key.updated',
    data: {
      ...data,
      before: { name: 'Old server', scopes: ['orders.read'], expiresAt: null },
      after: { name: 'Store server', scopes: ['contacts.read'], expiresAt: ahead(1) },
    },
  },
  updated: {
    ...base(13),
    type: 'api_key.updated',
    data: { ...data, before: {}, after: {} },
  },
  imported: { ...base(14, noura), type: 'api_key.imported', data: { ...data, format: 'old' } },
  created: { ...base(15, noura), type: 'api_key.created', data },
  origin: {
    ...base(16, noura),
    keyId: 'key_former',
    type: 'api_key.rotated',
    data: {
      ...{ ...data, name: 'Former server' },
      ...{
        replacementId: 'key_store',
        replacementPrefix: 'svc_live_aBc',
        replacementScopes: ['contacts.read'],
        overlapEndsAt: null,
      },
    },
  },
}

/** So many pauses. */
export function longHistory(count: number): readonly WireKeyEvent[] {
  return Array.from({ length: count }, (_, at) => ({
    ...base(at + 1),
    type: 'api_key.paused',
    data,
  }))
}
