import type { PostgresPool } from './driver.ts'

/** A notification names an installation, since a name of a channel could not hold one. */
export const CHANNEL = 'miftah'

/** The pause between losing a connection and listening again. It doubles with each failure. */
const RETRY_MS = 1_000

const LONGEST_RETRY_MS = 60_000

interface ListeningPool {
  readonly options?: { readonly max?: number }
  connect(): Promise<ListeningClient>
}

interface ListeningClient {
  query(text: string): Promise<unknown>
  on(event: 'notification', listener: (message: { readonly payload?: string }) => void): unknown
  on(event: 'error' | 'end', listener: () => void): unknown
  release(destroy: boolean): void
  unref?(): void
}

/** A way to listen for notifications, or `undefined` for a pool with no connection to spare. */
export function listenerOf(
  pool: PostgresPool,
  installation: string,
): ((onHint: () => void) => () => void) | undefined {
  if (!canListen(pool)) return undefined
  return (onHint) => {
    const known = LISTENERS.get(pool) ?? new Listeners(pool)
    LISTENERS.set(pool, known)
    return known.add({ installation, onHint })
  }
}

function canListen(pool: PostgresPool): pool is PostgresPool & ListeningPool {
  const { connect, options } = pool as Partial<ListeningPool>
  return typeof connect === 'function' && (options?.max ?? 10) > 1
}

/** The listeners of a pool, shared by its storages: a connection for each would use up the pool. */
const LISTENERS = new WeakMap<PostgresPool, Listeners>()

/** A listener for the notifications about one installation. */
interface Listening {
  readonly installation: string
  readonly onHint: () => void
}

/** All listeners on one pool, and the connection that they share; another one is taken when it breaks. */
class Listeners {
  readonly #pool: ListeningPool
  readonly #all = new Set<Listening>()
  #connection: AbortController | null = null

  constructor(pool: ListeningPool) {
    this.#pool = pool
  }

  /** Returns a function that removes it. Removing the last one closes the connection. */
  add(listening: Listening): () => void {
    this.#all.add(listening)
    if (this.#connection === null) {
      this.#connection = new AbortController()
      void this.#listen(this.#connection.signal)
    }
    return () => {
      this.#all.delete(listening)
      if (this.#all.size > 0) return
      this.#connection?.abort()
      this.#connection = null
    }
  }

  /** Never two connections at once: they would starve everybody else of the pool. */
  async #listen(signal: AbortSignal): Promise<void> {
    const stopped = new Promise<void>((resolve) => {
      signal.addEventListener('abort', () => resolve())
    })
    let retryMs = RETRY_MS
    const onListening = () => {
      retryMs = RETRY_MS
      // Earlier notifications may have been missed.
      this.#hint(() => true)
    }
    while (!signal.aborted) {
      await this.#listenUntilLost(stopped, onListening).catch(() => {})
      const pause = new Promise((resolve) => setTimeout(resolve, retryMs).unref?.())
      await Promise.race([stopped, pause])
      retryMs = Math.min(2 * retryMs, LONGEST_RETRY_MS)
    }
  }

  async #listenUntilLost(stopped: Promise<void>, onListening: () => void): Promise<void> {
    const client = await this.#pool.connect()
    try {
      const lost = new Promise<void>((resolve) => {
        // Without a listener, an error of the connection ends the process.
        client.on('error', resolve)
        client.on('end', resolve)
      })
      const over = Promise.race([lost, stopped])
      client.on('notification', ({ payload }) =>
        this.#hint(({ installation }) => installation === payload),
      )
      // Lets the process end, as the idle connections of a pool may.
      client.unref?.()
      await Promise.race([over, client.query(`LISTEN ${CHANNEL}`).then(onListening)])
      await over
    } finally {
      // Closed, not returned: it would go on listening for the next user of the pool.
      client.release(true)
    }
  }

  #hint(isMeant: (listening: Listening) => boolean): void {
    for (const listening of this.#all) if (isMeant(listening)) listening.onHint()
  }
}
