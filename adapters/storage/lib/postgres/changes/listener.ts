import type { PostgresPool } from '../driver.ts'
import { ListeningConnection, type ListeningPool } from './listening-connection.ts'

/** Somebody who is told of the notifications about one installation. */
interface Listening {
  readonly installation: string
  readonly onHint: () => void
}

/** A way to be told of notifications, or `undefined` for a pool that has no connection to spare. */
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

/** All who listen on one pool, and the connection that they share. */
class Listeners {
  readonly #pool: ListeningPool
  readonly #all = new Set<Listening>()
  #connection: ListeningConnection | null = null

  constructor(pool: ListeningPool) {
    this.#pool = pool
  }

  /** Adds one; returns how to remove it. Whoever stops last gives the connection back. */
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

/** Those of a pool, whichever storages use it: a connection for each would use up the pool. */
function listenersOn(pool: PostgresPool & ListeningPool): Listeners {
  const known = LISTENERS.get(pool)
  if (known !== undefined) return known
  const listeners = new Listeners(pool)
  LISTENERS.set(pool, listeners)
  return listeners
}
