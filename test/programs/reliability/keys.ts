import { type ApiKeys, createApiKeys, defineResources, plans } from '../../../src/index.ts'
import type { KeyStorage } from '../../../src/storage/index.ts'

export const ADMIN = { id: 'u_admin', name: 'Sami' }

/** What a new key needs. */
export function newKey(workspaceId: string) {
  return {
    ...{ workspaceId, creator: { id: 'u_1', name: 'Noura' }, name: 'CRM sync' },
    ...{ environment: 'live' as const, scopes: ['contacts.read'] as const },
  }
}

/** Keys over a storage. A workspace's id may end with its limit, as in `ws_1_max5`. */
export function openKeys(storage: KeyStorage, { hasCache = false } = {}): ApiKeys {
  return createApiKeys({
    storage,
    entitlements: (workspaceId) => {
      const limit = /_max(\d+)$/.exec(workspaceId)?.[1]
      return limit ? { publicApi: true, activeKeyLimit: Number(limit) } : plans.enterprise
    },
    storageTimeoutMs: 30_000,
    usageFlushMs: 600_000,
    resources: defineResources([{ type: 'project', label: { en: 'Projects' } }]),
    ...(hasCache && { cache: { leaseMs: 2_000 } }),
  })
}

const opened = new WeakMap<KeyStorage, readonly ApiKeys[]>()

/** The keys of this process: without the cache, and with it where the storage has a log of changes. */
export function nodesOn(storage: KeyStorage): readonly [ApiKeys, ...ApiKeys[]] {
  const nodes = opened.get(storage) ?? [
    openKeys(storage),
    ...(storage.changes ? [openKeys(storage, { hasCache: true })] : []),
  ]
  opened.set(storage, nodes)
  return nodes as [ApiKeys, ...ApiKeys[]]
}
