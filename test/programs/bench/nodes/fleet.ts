import { postgresStorage } from '../../../../adapters/storage/postgres.ts'
import { createApiKeys, plans } from '../../../../src/index.ts'
import { openPool } from '../../../support/postgres-database.ts'

/** What one process of a fleet holds. */
export interface FleetOptions {
  readonly url: string
  /** How many caches share its pool and the connection that listens. */
  readonly caches: number
  readonly leaseMs: number
}

/** What the parent can ask of a process. */
export type FleetTasks = ReturnType<typeof openFleet>

const ACTOR = { id: 'u_1', name: 'Sami' }
const WORKSPACE = 'ws_fleet'

/** Opens the caches of a process. */
export function openFleet({ url, caches, leaseMs }: FleetOptions) {
  const pool = openPool({ connectionString: url, max: 20 })
  const storage = postgresStorage(pool)
  const fleet = Array.from({ length: caches }, () =>
    createApiKeys({
      ...{ storage, entitlements: () => plans.enterprise, cache: { leaseMs } },
      ...{ storageTimeoutMs: 60_000, onEvent: () => {} },
    }),
  )
  const [first] = fleet as [(typeof fleet)[number]]
  const accepted = async (secret: string) => {
    const answers = await Promise.all(
      fleet.map((keys) => keys.authenticate(`Bearer ${secret}`, null).catch(() => null)),
    )
    return answers.filter((answer) => answer?.ok === true).length
  }
  const create = async () => {
    const { key, secret } = await first.createKey({
      ...{ workspaceId: WORKSPACE, creator: ACTOR, name: 'k', environment: 'live' },
      scopes: ['contacts.read'],
    })
    return { id: key.id, secret }
  }
  const warm = async (secret: string) => {
    while ((await accepted(secret)) < caches) {}
  }
  const revoke = (id: string) => first.revokeKey({ workspaceId: WORKSPACE, id, actor: ACTOR })
  return {
    create,
    createMany: (count: number) => Promise.all(Array.from({ length: count }, create)),
    /** Resolves once every cache has the key in memory. */
    warm,
    warmMany: async (secrets: readonly string[]) => {
      await Promise.all(secrets.map(warm))
    },
    /** How many caches accept it. */
    accepted,
    acceptedMany: async (secrets: readonly string[]) => {
      const counts = await Promise.all(secrets.map(accepted))
      return counts.reduce((sum, count) => sum + count, 0)
    },
    /** Revokes a key, and answers how many milliseconds it took. */
    revoke: async (id: string) => {
      const begun = performance.now()
      await revoke(id)
      return performance.now() - begun
    },
    revokeMany: async (ids: readonly string[]) => {
      await Promise.all(ids.map(revoke))
    },
    close: async () => {
      await Promise.all(fleet.map((keys) => keys.close()))
      await pool.end()
    },
  }
}
