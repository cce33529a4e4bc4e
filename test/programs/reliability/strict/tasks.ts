import { postgresStorage } from '../../../../adapters/storage/postgres.ts'
import { type ApiKeys, createApiKeys, OutageError, plans } from '../../../../src/index.ts'
import { openPool } from '../../../support/postgres-database.ts'

/** How a process of the scenario works. */
export interface NodeOptions {
  readonly url: string
  readonly leaseMs: number
  /** Whether it hears of changes; otherwise it learns of them when it renews. */
  readonly listens: boolean
  /** As the control: a cache that is told of changes and waits for nobody. */
  readonly isNaive: boolean
}

/** What a process answered about a secret. */
export type Verdict = 'accepted' | 'refused' | 'outage'

const ACTOR = { id: 'u_1', name: 'Sami' }
const WORKSPACE = 'ws_strict'
const NAIVE_CHANNEL = 'naive'

/** What the parent can ask of a process. */
export type Tasks = ReturnType<typeof openNode>

/** Opens the keys of a process. */
export function openNode({ url, leaseMs, listens, isNaive }: NodeOptions) {
  const pool = openPool({ connectionString: url, max: 4, connectionTimeoutMillis: 2_000 })
  const plain = { query: (text: string, values?: string[]) => pool.query(text, values) }
  const keys = createApiKeys({
    storage: postgresStorage(listens ? pool : plain),
    entitlements: () => plans.enterprise,
    ...(isNaive ? {} : { cache: { leaseMs } }),
    storageTimeoutMs: 3_000,
    onEvent: () => {},
  })
  const naive = isNaive ? new NaiveCache(keys) : null
  if (naive !== null && listens) void naive.listen(pool)
  const verdict = async (secret: string): Promise<Verdict> => {
    try {
      const isOk = naive ? await naive.accepts(secret) : await accepts(keys, secret)
      return isOk ? 'accepted' : 'refused'
    } catch (error) {
      if (error instanceof OutageError) return 'outage'
      throw error
    }
  }
  return {
    verdict,
    create: async () => {
      const creator = ACTOR
      const scopes = ['contacts.read'] as const
      const { key, secret } = await keys.createKey({
        ...{ workspaceId: WORKSPACE, creator, name: 'k', environment: 'live', scopes },
      })
      return { id: key.id, secret }
    },
    /** Resolves once the secret is answered from memory. */
    warm: async (secret: string) => {
      for (;;) {
        const before = keys.stats().cache?.hits ?? 0
        const isAccepted = (await verdict(secret)) === 'accepted'
        if (isAccepted && (naive !== null || (keys.stats().cache?.hits ?? 0) > before)) return
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
    },
    /** Revokes, again after an outage, and answers how many milliseconds it took. */
    revoke: async (id: string) => {
      const begun = performance.now()
      for (;;) {
        try {
          await keys.revokeKey({ workspaceId: WORKSPACE, id, actor: ACTOR })
          await naive?.tell(pool)
          return performance.now() - begun
        } catch (error) {
          if (!(error instanceof OutageError)) throw error
        }
      }
    },
    close: () => keys.close(),
  }
}

async function accepts(keys: ApiKeys, secret: string): Promise<boolean> {
  return (await keys.authenticate(`Bearer ${secret}`, null)).ok
}

/** What many products do: remember, and forget when a message says so. */
class NaiveCache {
  readonly #keys: ApiKeys
  readonly #accepted = new Set<string>()

  constructor(keys: ApiKeys) {
    this.#keys = keys
  }

  async listen(pool: ReturnType<typeof openPool>): Promise<void> {
    const client = await pool.connect()
    client.on('error', () => {})
    client.on('notification', () => this.#accepted.clear())
    await client.query(`LISTEN ${NAIVE_CHANNEL}`)
  }

  /** A message that is lost, as in a restart, is lost: the control does not care. */
  async tell(pool: ReturnType<typeof openPool>): Promise<void> {
    await pool.query(`NOTIFY ${NAIVE_CHANNEL}`).catch(() => {})
  }

  async accepts(secret: string): Promise<boolean> {
    if (this.#accepted.has(secret)) return true
    const isOk = await accepts(this.#keys, secret)
    if (isOk) this.#accepted.add(secret)
    return isOk
  }
}
