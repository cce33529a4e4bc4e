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
  return {
    create: async () => {
      const { key, secret } = await first.createKey({
        ...{ workspaceId: WORKSPACE, creator: ACTOR, name: 'k', environment: 'live' },
        scopes: ['contacts.read'],
      })
      return { id: key.id, secret }
    },
    /** Resolves once every cache has the key in memory. */
    warm: async (secret: string) => {
      while ((await accepted(secret)) < caches) {}
    },
    /** How many caches accept it. */
    accepted,
    /** Revokes a key, and answers how many milliseconds it took. */
    revoke: async (id: string) => {
      const begun = performance.now()
      await first.revokeKey({ workspaceId: WORKSPACE, id, actor: ACTOR })
      return performance.now() - begun
    },
    close: async () => {
      await Promise.all(fleet.map((keys) => keys.close()))
      await pool.end()
    },
  }
}
