/** What `pg` and its relatives take instead of a text. */
export interface QueryConfig {
  readonly name: string | undefined
  readonly text: string
  readonly values: readonly string[] | undefined
  /** Milliseconds; `undefined` for no limit. */
  readonly query_timeout: number | undefined
}

/** A statement that may have to wait for a connection. */
export interface QueuedStatement {
  /** For the pool, which reads it once a connection is free. */
  readonly config: QueryConfig
  /** Whether a connection may have got it. */
  readonly wasSent: () => boolean
  /** Empties it, if no connection has got it yet. */
  readonly abandon: () => void
}

/**
 * `pg` reads the text when it passes a statement to a connection, so a statement whose text has
 * been read may have been sent. The getters are properties of the object itself: a tracer that
 * copies it misses those of a class.
 */
export function queuedStatement(
  text: string,
  values: readonly string[],
  timeoutMs: number,
): QueuedStatement {
  const deadline = performance.now() + timeoutMs
  let wasSent = false
  let isAbandoned = false
  const config: QueryConfig = {
    name: undefined,
    get text() {
      wasSent ||= !isAbandoned
      return isAbandoned ? '' : text
    },
    get values() {
      return isAbandoned ? undefined : values
    },
    // Frees the connection when the server does not answer: the pool closes it.
    get query_timeout() {
      return queryTimeoutOf(deadline - performance.now())
    },
  }
  const abandon = () => {
    isAbandoned = true
  }
  return { config, wasSent: () => wasSent, abandon }
}

/** The longest wait of a timer (HTML Standard §8.7). */
const LONGEST_MS = 2 ** 31 - 1

/** The limit of a statement that has so much time left. */
export function queryTimeoutOf(ms: number): number | undefined {
  return ms > LONGEST_MS ? undefined : Math.max(1, Math.ceil(ms))
}
