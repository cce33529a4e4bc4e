/** When a call was made, as a statement tells the server. */
export interface CallTime {
  /** For how many milliseconds it has waited in this process. */
  readonly waitedMs: number
  /**
   * The instant of the call by the server's clock, in milliseconds since the epoch, or a little before
   * it. Left out until the server has answered.
   */
  readonly calledAtMs?: number
}

/** An instant in front of an answer, as {@link NOW} has written it. */
const STAMPED = /^(\d+) (.*)$/s

/** The server's clock in milliseconds since the epoch, as a value in SQL. */
const NOW = `pg_catalog.floor(pg_catalog.date_part('epoch', pg_catalog.clock_timestamp())
    OPERATOR(pg_catalog.*) 1000)::pg_catalog.int8`

/** SQL for an answer with the server's clock in front of it. */
export function stamped(answer: string): string {
  return `pg_catalog.concat(${NOW}, ' ', ${answer})`
}

/**
 * The server's clock, read from its answers. Only with it can the server tell for how long a call has
 * waited in the pool of the driver or in a pooler, where nobody measures the time.
 */
export class ServerClock {
  /** How far it is ahead of `performance.now()`. An answer takes time, so it is a little further. */
  #aheadMs: number | null = null

  /** An answer without the instant in front of it. The last answer counts: clocks are set. */
  read(answer: string | null): string | null {
    const [, atMs, rest = null] = STAMPED.exec(answer ?? '') ?? []
    if (atMs === undefined) return answer
    this.#aheadMs = Number(atMs) - performance.now()
    return rest
  }

  /** Notes that a call begins; the function answers when that was. */
  startCall(): () => CallTime {
    const startMs = performance.now()
    return () => {
      const waitedMs = performance.now() - startMs
      return this.#aheadMs === null
        ? { waitedMs }
        : { waitedMs, calledAtMs: startMs + this.#aheadMs }
    }
  }
}
