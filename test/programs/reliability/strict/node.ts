import type pg from 'pg'
import { postgresStorage } from '../../../../adapters/storage/postgres.ts'
import { type ApiKeys, createApiKeys, OutageError, plans } from '../../../../src/index.ts'
import { openPool } from '../../../support/postgres-database.ts'
import { serveTasks } from '../serve-tasks.ts'

/** How a process of the scenario works. */
export interface NodeOptions {
  readonly url: string
  readonly leaseMs: number
  /** Whether it hears of changes; otherwise it learns of them when it renews. */
  readonly listens: boolean
  /** The control: a cache that gets hints of changes, while no change waits for it. */
  readonly isNaive: boolean
}

/** What the parent can ask of a process with keys of its own. */
export type NodeTasks = ReturnType<typeof openNode>

const WORKSPACE = 'ws_strict'
const ACTOR = { id: 'u_1', name: 'Sami' }
const NAIVE_CHANNEL = 'naive'

function openNode({ url, leaseMs, listens, isNaive }: NodeOptions) {
  const pool = openPool({ connectionString: url, max: 4, connectionTimeoutMillis: 2_000 })
  const plain = { query: (text: string, values?: string[]) => pool.query(text, values) }
  const keys = createApiKeys({
    storage: postgresStorage(listens ? pool : plain),
    entitlements: () => plans.enterprise,
    ...(isNaive ? {} : { cache: { leaseMs } }),
    storageTimeoutMs: 3_000,
    onEvent: () => {},
  })
  const accepts = isNaive ? naiveCache(keys, listens ? pool : null) : acceptsOf(keys)
  const verdict = async (secret: string) => {
    try {
      return (await accepts(secret)) ? 'accepted' : 'refused'
    } catch (error) {
      if (error instanceof OutageError) return 'outage'
      throw error
    }
  }
  return {
    verdict,
    create: async () => {
      const { key, secret } = await keys.createKey({
        ...{ workspaceId: WORKSPACE, creator: ACTOR, name: 'k', environment: 'live' },
        scopes: ['contacts.read'],
      })
      return { id: key.id, secret }
    },
    /** Resolves once the secret is answered from memory. */
    warm: async (secret: string) => {
      for (;;) {
        const before = keys.stats().cache?.hits ?? -1
        const isAccepted = (await verdict(secret)) === 'accepted'
        if (isAccepted && (keys.stats().cache?.hits ?? 0) > before) return
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
    },
    /** Revokes, again after an outage, and answers how many milliseconds it took. */
    revoke: async (id: string) => {
      const begun = performance.now()
      for (;;) {
        try {
          await keys.revokeKey({ workspaceId: WORKSPACE, id, actor: ACTOR })
          // A message that is lost, as in a restart, is lost: the control does not care.
          if (isNaive) await pool.query(`NOTIFY ${NAIVE_CHANNEL}`).catch(() => {})
          return performance.now() - begun
        } catch (error) {
          if (!(error instanceof OutageError)) throw error
        }
      }
    },
    status: async (id: string) => (await keys.getKey({ workspaceId: WORKSPACE, id })).status,
    close: () => keys.close(),
  }
}

function acceptsOf(keys: ApiKeys) {
  return async (secret: string) => (await keys.authenticateSecret(secret, null)).ok
}

/** What many products do: remember, and forget when a message says so. */
function naiveCache(keys: ApiKeys, pool: pg.Pool | null) {
  const accepted = new Set<string>()
  void pool?.connect().then((client) => {
    client.on('error', () => {})
    client.on('notification', () => accepted.clear())
    return client.query(`LISTEN ${NAIVE_CHANNEL}`)
  })
  return async (secret: string) => {
    if (accepted.has(secret)) return true
    const isOk = await acceptsOf(keys)(secret)
    if (isOk) accepted.add(secret)
    return isOk
  }
}

serveTasks<NodeTasks>(openNode(JSON.parse(process.argv[2] ?? '{}')))
