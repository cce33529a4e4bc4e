import type { PostgresPool } from '../driver.ts'

/** A notification names an installation, since a name of a channel could not hold one. */
export const CHANNEL = 'miftah'

/** How long after a failure the next attempt to listen is made. */
const RETRY_MS = 1_000

/** What is asked of a pool of `pg` and of its clients. */
interface ListeningPool {
  readonly options?: { readonly max?: number }
  connect(): Promise<ListeningClient>
}

interface ListeningClient {
  query(text: string): Promise<unknown>
  on(event: 'notification', told: (message: { readonly payload?: string }) => void): unknown
  on(event: 'error' | 'end', told: () => void): unknown
  release(destroy: boolean): void
  unref?(): void
}

/** A way to be told of notifications, or `undefined` for a pool that has no connection to spare. */
export function listenerOf(
  pool: PostgresPool,
  installation: string,
): ((onHint: () => void) => () => void) | undefined {
  if (!canListen(pool)) return undefined
  return (onHint) => {
    const listener = new Listener(pool, installation, onHint)
    void listener.start()
    return () => listener.stop()
  }
}

function canListen(pool: PostgresPool): pool is PostgresPool & ListeningPool {
  const { connect, options } = pool as Partial<ListeningPool>
  return typeof connect === 'function' && (options?.max ?? 10) > 1
}

/** Keeps one connection of the pool, and takes another one when it breaks. */
class Listener {
  readonly #pool: ListeningPool
  readonly #installation: string
  readonly #onHint: () => void
  #timer: ReturnType<typeof setTimeout> | undefined
  #isStopped = false
  /** Ends the connection that is listened on. */
  #hangUp = () => {}

  constructor(pool: ListeningPool, installation: string, onHint: () => void) {
    this.#pool = pool
    this.#installation = installation
    this.#onHint = onHint
  }

  /** One connection after another: two at once would take the pool away from everybody else. */
  async start(): Promise<void> {
    while (!this.#isStopped) {
      await this.#listenUntilLost().catch(() => {})
      if (!this.#isStopped) await this.#pause()
    }
  }

  stop(): void {
    this.#isStopped = true
    clearTimeout(this.#timer)
    this.#hangUp()
  }

  async #listenUntilLost(): Promise<void> {
    const client = await this.#pool.connect()
    try {
      const lost = new Promise<void>((resolve) => {
        // Without a listener, an error of the connection ends the process.
        client.on('error', resolve)
        client.on('end', resolve)
        this.#hangUp = resolve
      })
      client.on('notification', ({ payload }) => {
        if (payload === this.#installation) this.#onHint()
      })
      // Lets the process end, as the idle connections of a pool may.
      client.unref?.()
      if (this.#isStopped) return
      await Promise.race([client.query(`LISTEN ${CHANNEL}`), lost])
      this.#onHint()
      await lost
    } finally {
      // Closed, not returned: it would go on listening for the next user of the pool.
      client.release(true)
    }
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => {
      this.#timer = setTimeout(resolve, RETRY_MS)
      this.#timer.unref?.()
    })
  }
}
