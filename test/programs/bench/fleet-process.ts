import { postgresStorage } from '../../../adapters/storage/postgres.ts'
import { type ApiKeys, createApiKeys, plans } from '../../../src/index.ts'
import { openPool } from '../../support/postgres-database.ts'
import { serveTasks } from '../reliability/serve-tasks.ts'

/** What one process of a fleet holds: caches that share its pool and the connection that listens. */
export interface FleetOptions {
  readonly url: string
  readonly caches: number
  readonly leaseMs: number
}

/** What the parent can ask of a process. */
export type FleetTasks = ReturnType<typeof openFleet>

const ACTOR = { id: 'u_1', name: 'Sami' }
const WORKSPACE = 'ws_fleet'

function openFleet({ url, caches, leaseMs }: FleetOptions) {
  const storage = postgresStorage(openPool({ connectionString: url, max: 20 }))
  const fleet = Array.from({ length: caches }, () =>
    createApiKeys({
      ...{ storage, entitlements: () => plans.enterprise, cache: { leaseMs } },
      ...{ storageTimeoutMs: 60_000, onEvent: () => {} },
    }),
  ) as [ApiKeys, ...ApiKeys[]]
  const accepts = (keys: ApiKeys, secret: string) =>
    keys.authenticateSecret(secret, null).then(
      ({ ok }) => ok,
      () => false,
    )
  /** How many caches accept each of them, in all. */
  const accepted = async (secrets: readonly string[]) => {
    const calls = secrets.flatMap((secret) => fleet.map((keys) => accepts(keys, secret)))
    return (await Promise.all(calls)).filter(Boolean).length
  }
  const create = async () => {
    const { key, secret } = await fleet[0].createKey({
      ...{ workspaceId: WORKSPACE, creator: ACTOR, name: 'k', environment: 'live' },
      scopes: ['contacts.read'],
    })
    return { id: key.id, secret }
  }
  return {
    accepted,
    create: (count: number) => Promise.all(Array.from({ length: count }, create)),
    /** Resolves once every cache has the keys in memory. */
    warm: async (secrets: readonly string[]) => {
      while ((await accepted(secrets)) < caches * secrets.length) {}
    },
    /** Revokes keys at once, and answers how many milliseconds it took. */
    revoke: async (ids: readonly string[]) => {
      const begun = performance.now()
      const revoke = (id: string) =>
        fleet[0].revokeKey({ workspaceId: WORKSPACE, id, actor: ACTOR })
      await Promise.all(ids.map(revoke))
      return performance.now() - begun
    },
  }
}

serveTasks<FleetTasks>(openFleet(JSON.parse(process.argv[2] ?? '{}')))
