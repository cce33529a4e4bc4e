import type { ApiKeys } from 'miftah'
import type { KeyStorage } from 'miftah/storage'
import { SCOPE } from './keys.ts'

/** The workspace that holds every key. */
export const BIG = 'ws_big'

/** A storage of one size, and keys over it. */
export interface World {
  readonly size: number
  readonly storage: KeyStorage
  readonly keys: ApiKeys
}

const ACTOR = { id: 'u_1', name: 'نورة' }

function create(keys: ApiKeys) {
  return keys.createKey({
    ...{ workspaceId: BIG, creator: ACTOR, name: 'New', environment: 'live', scopes: [SCOPE] },
  })
}

const action = (id: string) => ({ workspaceId: BIG, id, actor: ACTOR })

let writers = 0

/** Each operation makes what it needs, and answers what is to be measured. */
export const OPERATIONS: Readonly<
  Record<string, (world: World) => Promise<() => Promise<unknown>>>
> = {
  create:
    async ({ keys }) =>
    () =>
      create(keys),
  authenticate: async ({ keys }) => {
    const { secret } = await create(keys)
    return () => keys.authenticate(`Bearer ${secret}`, SCOPE)
  },
  rotate: async ({ keys }) => {
    const { key } = await create(keys)
    return () => keys.rotateKey(action(key.id))
  },
  revoke: async ({ keys }) => {
    const { key } = await create(keys)
    return () => keys.revokeKey(action(key.id))
  },
  'list, first page':
    async ({ keys }) =>
    () =>
      keys.listKeys({ workspaceId: BIG }),
  'list, revoked keys': async ({ keys }) => {
    return () => keys.listKeys({ workspaceId: BIG, status: 'revoked' })
  },
  'list, paused keys': async ({ keys }) => {
    return () => keys.listKeys({ workspaceId: BIG, status: 'paused' })
  },
  'list, expired keys': async ({ keys }) => {
    return () => keys.listKeys({ workspaceId: BIG, status: 'expired' })
  },
  'first events':
    async ({ keys }) =>
    () =>
      keys.listEvents({ workspaceId: BIG }),
  'first flush of a process': async ({ keys, storage }) => {
    const { key } = await create(keys)
    const uses = [{ id: key.id, uses: 1, lastUsedAtMs: Date.now() }]
    writers += 1
    return () => storage.addUses({ writer: `new_${writers}`, sequence: 1, uses })
  },
  'claim and acknowledge':
    async ({ storage }) =>
    async () => {
      const claim = { relay: 'relay', leaseMs: 3_600_000, limit: 100, except: [] }
      const events = await storage.claimEvents(claim)
      const ids = events.map(({ id }) => id)
      await storage.acknowledgeEvents(claim.relay, ids)
    },
}
