import type { ApiKeys } from '../../../src/index.ts'
import type { KeyStorage } from '../../../src/storage/index.ts'
import { openKeys } from './narrow-tasks.ts'

/** Whose keys of which workspace to revoke. */
export interface BulkOrder {
  readonly workspaceId: string
  readonly creatorId: string
}

/** Keys to authenticate with. */
export interface SecretsOrder {
  readonly secrets: readonly string[]
}

/** How they were answered. */
export interface SecretsReport {
  readonly accepted: number
  /** How many of the answers came from the cache; all where there is none to fill. */
  readonly remembered: number
}

export const LEAVER = { id: 'u_leaver', name: 'Noura' }
export const ADMIN = { id: 'u_admin', name: 'Sami' }

/** The filters of every revocation here: a key that loses the scope meanwhile matches no more. */
export const filtersOf = ({ workspaceId, creatorId }: BulkOrder) =>
  ({ workspaceId, actor: ADMIN, creatorId, scope: 'contacts.read' }) as const

const opened = new WeakMap<KeyStorage, readonly ApiKeys[]>()

/** The keys of this process, with the cache where the storage has a log of changes. */
export function keysOn(storage: KeyStorage): ApiKeys {
  const nodes = opened.get(storage) ?? openKeys(storage)
  opened.set(storage, nodes)
  const keys = nodes.at(-1)
  if (keys === undefined) throw new Error('there are keys')
  return keys
}

/** Revokes the keys of a creator, until it is done or killed. */
export async function revokeKeysOf(storage: KeyStorage, order: BulkOrder): Promise<number> {
  return (await keysOn(storage).revokeKeys(filtersOf(order))).revoked
}

/** Authenticates with each secret once. */
export async function tryAll(
  storage: KeyStorage,
  { secrets }: SecretsOrder,
): Promise<SecretsReport> {
  const keys = keysOn(storage)
  const before = keys.stats().cache?.hits
  const answers = await Promise.all(
    secrets.map((secret) => keys.authenticate(`Bearer ${secret}`, null)),
  )
  const accepted = answers.filter(({ ok }) => ok).length
  const hits = keys.stats().cache?.hits
  const isCached = before !== undefined && hits !== undefined
  return { accepted, remembered: isCached ? hits - before : secrets.length }
}
