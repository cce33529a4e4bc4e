/** A notification names an installation, since a name of a channel could not hold one. */
export const CHANNEL = 'miftah'

/** The pause between losing a connection and listening again. It doubles with each failure. */
const RETRY_MS = 1_000

/** The longest time between two attempts. */
const LONGEST_RETRY_MS = 60_000

/** What is used of a pool of `pg` and of its clients. */
export interface ListeningPool {
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

/** What a connection calls. */
interface Listener {
  /** It is listening now; earlier notifications may have been missed. */
  readonly onListening: () => void
  readonly onPayload: (payload: string | undefined) => void
}

/** Keeps one connection of the pool, and takes another one when it breaks. */
export class ListeningConnection {
  readonly #pool: ListeningPool
  readonly #listener: Listener
  #timer: ReturnType<typeof setTimeout> | undefined
  #retryMs = RETRY_MS
  #isStopped = false
  /** Ends the connection that is listened on. */
  #hangUp = () => {}

  constructor(pool: ListeningPool, listener: Listener) {
    this.#pool = pool
    this.#listener = listener
  }

  /** Never two connections at once: they would starve everybody else of the pool. */
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
      client.on('notification', ({ payload }) => this.#listener.onPayload(payload))
      // Lets the process end, as the idle connections of a pool may.
      client.unref?.()
      if (this.#isStopped) return
      await Promise.race([this.#listen(client), lost])
      await lost
    } finally {
      // Closed, not returned: it would go on listening for the next user of the pool.
      client.release(true)
    }
  }

  async #listen(client: ListeningClient): Promise<void> {
    await client.query(`LISTEN ${CHANNEL}`)
    this.#retryMs = RETRY_MS
    this.#listener.onListening()
  }

  #pause(): Promise<void> {
    const ms = this.#retryMs
    this.#retryMs = Math.min(2 * ms, LONGEST_RETRY_MS)
    return new Promise((resolve) => {
      this.#timer = setTimeout(resolve, ms)
      this.#timer.unref?.()
    })
  }
}
