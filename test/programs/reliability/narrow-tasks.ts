import { setImmediate as nextTurn } from 'node:timers/promises'
import { type ApiKeys, createApiKeys, defineResources, plans } from '../../../src/index.ts'
import type { KeyStorage } from '../../../src/storage/index.ts'
import { sumOf } from './rounds.ts'

/** What a round takes away from a key: an id of its resources, or the network of its callers. */
export const NARROWED = ['resources', 'networks'] as const
export type Narrowed = (typeof NARROWED)[number]

/** The key whose traffic begins. */
export interface NarrowOrder {
  readonly id: string
  readonly secret: string
  readonly narrowed: Narrowed
}

/** How the traffic on one key went. */
export interface NarrowReport {
  /** Calls that were accepted, before the narrowing of course. */
  readonly accepted: number
  readonly refused: number
  /** Calls that were accepted although they began after the narrowing had answered. */
  readonly lateAccepts: number
}

/** What every call of the traffic touches, and where it comes from. */
const CALL = {
  resources: { resource: { project: 'p_2' } },
  networks: { clientAddress: '198.51.100.7', resource: 'none' },
} as const

/** Keys over a storage, with and, where it has a log of changes, without the cache. */
export function openKeys(storage: KeyStorage): readonly ApiKeys[] {
  const open = (cache: object) =>
    createApiKeys({
      storage,
      entitlements: () => plans.enterprise,
      storageTimeoutMs: 30_000,
      resources: defineResources([{ type: 'project', label: { en: 'Projects' } }]),
      ...cache,
    })
  return [open({}), ...(storage.changes ? [open({ cache: { leaseMs: 2_000 } })] : [])]
}

const opened = new WeakMap<KeyStorage, readonly ApiKeys[]>()
const traffic = new Map<string, () => Promise<NarrowReport>>()

/** Authenticates with a key over and over, with and without the cache, until `endNarrowing`. */
export async function beginNarrowing(storage: KeyStorage, order: NarrowOrder): Promise<boolean> {
  const nodes = opened.get(storage) ?? openKeys(storage)
  opened.set(storage, nodes)
  const callers = nodes.map((keys) => callerOf(keys, order))
  // The caches have read the key before it is narrowed.
  await Promise.all(callers.map(({ call }) => call()))
  let going = true
  const running = callers.map(async ({ call }) => {
    while (going) {
      await call()
      await nextTurn()
    }
  })
  traffic.set(order.id, async () => {
    for (const { state } of callers) state.isNarrowed = true
    await Promise.all(callers.map(({ call }) => call()))
    going = false
    await Promise.all(running)
    await Promise.all(callers.map(({ call }) => call()))
    return sumOf(callers.map(({ seen }) => seen))
  })
  return true
}

/** Calls at once, now that the narrowing has answered; tells how all calls went. */
export async function endNarrowing(
  _storage: KeyStorage,
  { id }: Pick<NarrowOrder, 'id'>,
): Promise<NarrowReport> {
  const end = traffic.get(id)
  if (end === undefined) throw new Error('there is no traffic to end')
  traffic.delete(id)
  return end()
}

function callerOf(keys: ApiKeys, { secret, narrowed }: NarrowOrder) {
  const seen = { accepted: 0, refused: 0, lateAccepts: 0 }
  const state = { isNarrowed: false }
  const call = async () => {
    const { isNarrowed } = state
    const { ok } = await keys.authenticate(`Bearer ${secret}`, 'contacts.read', CALL[narrowed])
    seen[ok ? 'accepted' : 'refused'] += 1
    if (ok && isNarrowed) seen.lateAccepts += 1
  }
  return { seen, state, call }
}
