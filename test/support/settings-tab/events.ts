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

type Data = Readonly<Record<string, unknown>>

/** What happened so many days ago. */
function event(at: number, kind: string, more: Data = {}, actor = omar, keyId = 'key_store') {
  const type = `api_key.${kind}`
  const fields = { id: `evt_${at}`, at: ago.days(at), actor, keyId, type }
  return { ...fields, data: { ...data, ...more } } as WireKeyEvent
}

const replacement = {
  replacementId: 'key_new',
  replacementPrefix: 'svc_live_xYz',
  replacementScopes: ['contacts.read'],
  overlapEndsAt: null,
}

/** One event of each kind, newest first, by the word that its sentence is named for. */
export const everyEvent: Readonly<Record<string, WireKeyEvent>> = {
  retired: event(1, 'retired', { ...replacement, overlapEndsAt: ago.days(1) }, system),
  leaked: event(2, 'revoked', { endedOverlap: true, reason: 'leaked' }),
  revoked: event(5, 'revoked', { endedOverlap: false, reason: 'other' }),
  overlap: event(6, 'rotated', { ...replacement, overlapEndsAt: ahead(1) }),
  rotated: event(7, 'rotated', replacement),
  expired: event(8, 'expired', { expiresAt: ago.days(8) }, system),
  expiring: event(9, 'expiring', { expiresAt: ago.days(8) }, system),
  resumed: event(10, 'resumed'),
  paused: event(11, 'paused'),
  fields: event(12, 'updated', {
    before: { name: 'Old server', scopes: ['orders.read'], expiresAt: null },
    after: { name: 'Store server', scopes: ['contacts.read'], expiresAt: ahead(1) },
  }),
  updated: event(13, 'updated', { before: {}, after: {} }),
  imported: event(14, 'imported', { format: 'old' }, noura),
  created: event(15, 'created', {}, noura),
  origin: event(16, 'rotated', { ...replacement, name: 'Former server' }, noura, 'key_former'),
}

/** So many pauses. */
export function longHistory(count: number): readonly WireKeyEvent[] {
  return Array.from({ length: count }, (_, at) => event(at + 1, 'paused'))
}
