import { postgresStorage } from '../../../adapters/storage/postgres.ts'
import { createApiKeys, plans } from '../../../src/index.ts'
import { openPool } from '../../support/postgres-database.ts'
import { serveTasks } from '../reliability/serve-tasks.ts'

const ACTOR = { id: 'u_1', name: 'Sami' }
const WORKSPACE = 'ws_failover'

/** What the parent can ask of a process with a cache. */
export type WorkerTasks = ReturnType<typeof openWorker>

/** The database of a process, and whether it answers from memory. */
export interface WorkerOptions {
  readonly url: string
  readonly hasCache: boolean
}

function openWorker({ url, hasCache }: WorkerOptions) {
  const pool = openPool({ connectionString: url, max: 6, connectionTimeoutMillis: 2_000 })
  const keys = createApiKeys({
    ...{ storage: postgresStorage(pool), entitlements: () => plans.enterprise },
    ...{ storageTimeoutMs: 3_000, onEvent: () => {} },
    ...(hasCache && { cache: { leaseMs: 2_000 } }),
  })
  return {
    create: async () => {
      const { key, secret } = await keys.createKey({
        ...{ workspaceId: WORKSPACE, creator: ACTOR, name: 'k', environment: 'live' },
        scopes: ['contacts.read'],
      })
      return { id: key.id, secret }
    },
    revoke: async (id: string) => {
      await keys.revokeKey({ workspaceId: WORKSPACE, id, actor: ACTOR })
      return true
    },
    status: async (id: string) => (await keys.getKey({ workspaceId: WORKSPACE, id })).status,
    /** How many of the secrets are accepted, refused and not answered. */
    verdicts: async (secrets: readonly string[]) => {
      const answers = await Promise.all(
        secrets.map((secret) => keys.authenticate(`Bearer ${secret}`, null).catch(() => null)),
      )
      const accepted = answers.filter((answer) => answer?.ok === true).length
      const failed = answers.filter((answer) => answer === null).length
      return { accepted, failed, refused: answers.length - accepted - failed }
    },
  }
}

serveTasks<WorkerTasks>(openWorker(JSON.parse(process.argv[2] ?? '')))
