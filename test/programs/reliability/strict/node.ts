import type pg from 'pg'
import { postgresStorage } from '../../../../adapters/storage/postgres.ts'
import { type ApiKeys, createApiKeys, OutageError, plans } from '../../../../src/index.ts'
import { openPool } from '../../../support/postgres-database.ts'
import { ADMIN, newKey } from '../keys.ts'
import { serveTasks } from '../serve-tasks.ts'

/** How a process works. */
export interface NodeOptions {
  readonly url: string
  readonly leaseMs: number
  /** Whether it hears of changes; otherwise it learns of them when it renews. Default: true. */
  readonly listens?: boolean
  /** The control: a cache that gets hints of changes, while no change waits for it. */
  readonly isNaive?: boolean
  /** How many caches share its connections. Default: 1. */
  readonly caches?: number
  readonly connections?: number
  readonly timeoutMs?: number
}

/** What the parent can ask of a process with keys of its own. */
export type NodeTasks = ReturnType<typeof openNode>

const WORKSPACE = 'ws_strict'
const NAIVE_CHANNEL = 'naive'

function openNode(options: NodeOptions) {
  const { url, leaseMs, listens = true, isNaive = false, caches = 1 } = options
  const { connections: max = 4, timeoutMs = 3_000 } = options
  const pool = openPool({ connectionString: url, max, connectionTimeoutMillis: timeoutMs })
  const plain = { query: (text: string, values?: string[]) => pool.query(text, values) }
  const storage = postgresStorage(listens ? pool : plain)
  const all = Array.from({ length: caches }, () =>
    createApiKeys({
      ...{ storage, entitlements: () => plans.enterprise, storageTimeoutMs: timeoutMs },
      ...(isNaive ? {} : { cache: { leaseMs } }),
      onEvent: () => {},
    }),
  )
  const [keys] = all as [ApiKeys]
  const ask = isNaive ? naiveCache(keys, listens ? pool : null) : acceptsOf(keys)
  const verdict = async (secret: string, accepts = ask) => {
    try {
      return (await accepts(secret)) ? 'accepted' : 'refused'
    } catch (error) {
      if (error instanceof OutageError) return 'outage'
      throw error
    }
  }
  const warm = async (secret: string, cached: ApiKeys) => {
    const accepts = isNaive ? ask : acceptsOf(cached)
    for (;;) {
      const before = cached.stats().cache?.hits ?? -1
      const isAccepted = (await verdict(secret, accepts)) === 'accepted'
      if (isAccepted && (cached.stats().cache?.hits ?? 0) > before) return
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  }
  return {
    verdict: (secret: string) => verdict(secret),
    /** How many caches accept a secret. */
    accepted: async (secret: string) => {
      const verdicts = await Promise.all(all.map((one) => verdict(secret, acceptsOf(one))))
      return verdicts.filter((one) => one === 'accepted').length
    },
    create: async () => {
      const { key, secret } = await keys.createKey(newKey(WORKSPACE))
      return { id: key.id, secret }
    },
    /** Resolves once the secret is answered from memory, by every cache. */
    warm: (secret: string) => Promise.all(all.map((one) => warm(secret, one))).then(() => true),
    /** Revokes, again after an outage, and answers how many milliseconds it took. */
    revoke: async (id: string) => {
      const begun = performance.now()
      for (;;) {
        try {
          await keys.revokeKey({ workspaceId: WORKSPACE, id, actor: ADMIN })
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
