import {
  type ApiKeys,
  createApiKeys,
  defineResources,
  type Entitlements,
  plans,
} from '../../../src/index.ts'
import type { KeyStorage } from '../../../src/storage/index.ts'

export const ADMIN = { id: 'u_admin', name: 'Sami' }
export const LEAVER = { id: 'u_leaver', name: 'Noura' }

/** What a new key needs. */
export function newKey(workspaceId: string, fields: object = {}) {
  return {
    ...{ workspaceId, creator: LEAVER, name: 'CRM sync', environment: 'live' as const },
    ...{ scopes: ['contacts.read', 'contacts.write'] as const, ...fields },
  }
}

/** The plan of a workspace: its id may end with the limit, as in `ws_1_max5`. */
function planOf(workspaceId: string): Entitlements {
  const limit = /_max(\d+)$/.exec(workspaceId)?.[1]
  return limit === undefined ? plans.enterprise : { publicApi: true, activeKeyLimit: Number(limit) }
}

/** Keys over a storage, on a machine whose clock is ahead, or behind. */
export function openKeys(storage: KeyStorage, { hasCache = false, aheadMs = 0 } = {}): ApiKeys {
  return createApiKeys({
    storage,
    entitlements: planOf,
    storageTimeoutMs: 30_000,
    usageFlushMs: 600_000,
    resources: defineResources([{ type: 'project', label: { en: 'Projects' } }]),
    now: () => new Date(Date.now() + aheadMs),
    ...(hasCache && { cache: { leaseMs: 2_000 } }),
  })
}

const opened = new WeakMap<KeyStorage, Map<string, ApiKeys>>()

/** The keys of this process that work in this way. */
export function keysOn(
  storage: KeyStorage,
  options: { hasCache?: boolean; aheadMs?: number } = {},
) {
  const all = opened.get(storage) ?? new Map<string, ApiKeys>()
  opened.set(storage, all)
  const name = JSON.stringify(options)
  const keys = all.get(name) ?? openKeys(storage, options)
  all.set(name, keys)
  return keys
}

/** Without the cache, and with it where the storage has a log of changes. */
export function nodesOn(storage: KeyStorage): readonly ApiKeys[] {
  return [keysOn(storage), ...(storage.changes ? [keysOn(storage, { hasCache: true })] : [])]
}
