import type { PostgresPool } from '../driver.ts'
import { ListeningConnection, type ListeningPool } from './listening-connection.ts'

/** A listener for the notifications about one installation. */
interface Listening {
  readonly installation: string
  readonly onHint: () => void
}

/** A way to listen for notifications, or `undefined` for a pool with no connection to spare. */
export function listenerOf(
  pool: PostgresPool,
  installation: string,
): ((onHint: () => void) => () => void) | undefined {
  if (!canListen(pool)) return undefined
  return (onHint) => listenersOn(pool).add({ installation, onHint })
}

function canListen(pool: PostgresPool): pool is PostgresPool & ListeningPool {
  const { connect, options } = pool as Partial<ListeningPool>
  return typeof connect === 'function' && (options?.max ?? 10) > 1
}

/** All listeners on one pool, and the connection that they share. */
class Listeners {
  readonly #pool: ListeningPool
  readonly #all = new Set<Listening>()
  #connection: ListeningConnection | null = null

  constructor(pool: ListeningPool) {
    this.#pool = pool
  }

  /**
   * Adds a listener and returns a function that removes it. Removing the last one closes the
   * connection.
   */
  add(listening: Listening): () => void {
    this.#all.add(listening)
    this.#connection ??= this.#connect()
    return () => {
      this.#all.delete(listening)
      if (this.#all.size > 0) return
      this.#connection?.stop()
      this.#connection = null
    }
  }

  #connect(): ListeningConnection {
    const connection = new ListeningConnection(this.#pool, {
      onListening: () => this.#tell(() => true),
      onPayload: (payload) => this.#tell(({ installation }) => installation === payload),
    })
    void connection.start()
    return connection
  }

  #tell(isMeant: (listening: Listening) => boolean): void {
    for (const listening of this.#all) if (isMeant(listening)) listening.onHint()
  }
}

const LISTENERS = new WeakMap<PostgresPool, Listeners>()

/** The listeners of a pool, shared by its storages: a connection for each would use up the pool. */
function listenersOn(pool: PostgresPool & ListeningPool): Listeners {
  const known = LISTENERS.get(pool)
  if (known !== undefined) return known
  const listeners = new Listeners(pool)
  LISTENERS.set(pool, listeners)
  return listeners
}
