import type { KeyListAnswer, WireKey } from '../../../adapters/client/index.ts'
import { KEY_OPERATIONS } from '../../../adapters/http/lib/management/wire/key-operations.ts'

/** The instant at which the pages of the tests are opened. */
export const now = Date.parse('2026-11-21T13:05:00Z')

const minute = 60_000
const day = 24 * 60 * minute

/** An instant so many minutes or days before `now`, as it goes over the wire. */
export const ago = {
  minutes: (count: number) => new Date(now - count * minute).toISOString(),
  days: (count: number) => new Date(now - count * day).toISOString(),
}

/** An instant so many days after `now`, as it goes over the wire. */
export function ahead(days: number): string {
  return new Date(now + days * day).toISOString()
}

/** A key of the wire; whatever is not given is plausible. */
export function keyOf(fields: Partial<WireKey> & { readonly id: string }): WireKey {
  return {
    workspaceId: 'ws_1',
    name: 'خادم المتجر',
    note: null,
    resources: {},
    networks: 'any',
    withinGrant: true,
    environment: 'live',
    scopes: ['contacts.read', 'orders.read', 'orders.write'],
    prefix: 'svc_live_a1b',
    creator: { id: 'u_1', name: 'نورة العتيبي' },
    createdAt: ago.days(200),
    lastUsedAt: ago.minutes(12),
    uses: 1_284_302,
    status: 'active',
    version: 1,
    updatedAt: ago.days(200),
    expiresAt: null,
    pausedAt: null,
    pausedBy: null,
    retiresAt: null,
    revokedAt: null,
    replaces: null,
    replacedBy: null,
    format: null,
    ...fields,
  }
}

/** A page of a list; whatever is not given allows everything. */
export function listOf(
  keys: readonly WireKey[],
  fields: Partial<KeyListAnswer> = {},
): KeyListAnswer {
  return {
    workspaceId: 'ws_1',
    keys,
    nextCursor: null,
    activeKeys: keys.length,
    countedUpTo: 1_000,
    activeKeyLimit: null,
    maxLifetimeSeconds: null,
    maxOverlapSeconds: 604_800,
    publicApi: true,
    allowedOperations: KEY_OPERATIONS,
    grantable: null,
    total: keys.length,
    ...fields,
  }
}

/** Three keys as a small team has them: in use, for tests, and revoked. */
export const fewKeys: readonly WireKey[] = [
  keyOf({ id: 'key_store' }),
  keyOf({
    id: 'key_test',
    name: 'CRM sync (staging)',
    environment: 'test',
    prefix: 'svc_test_9xZ',
    scopes: ['messages.send', 'messages.read'],
    creator: { id: 'u_2', name: 'Omar Haddad' },
    lastUsedAt: null,
    uses: 0,
  }),
  keyOf({
    id: 'key_old',
    name: 'تطبيق قديم',
    prefix: 'svc_live_000',
    status: 'revoked',
    uses: 5_120,
    scopes: ['contacts.read'],
    lastUsedAt: ago.days(200),
    revokedAt: ago.days(150),
  }),
]

/** So many active keys, each different. */
export function manyKeys(count: number, fields: Partial<WireKey> = {}): readonly WireKey[] {
  return Array.from({ length: count }, (_, index) =>
    keyOf({
      id: `key_${index}`,
      name: `Server ${index}`,
      prefix: `svc_live_${String(index).padStart(3, '0')}`,
      ...fields,
    }),
  )
}
