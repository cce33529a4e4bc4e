import { InFlight } from './in-flight.ts'

/** How many changes are in flight at once on one pool. */
const MOST_ALONE = 4

/**
 * How many beside lookups and other reads. With four, 64 authentications beside 32 creators keep 0.34
 * of their rate; with two they keep 0.47, and as many keys are created (`npm run bench -- beside`).
 */
const MOST_BESIDE_READS = 2

/** For this many milliseconds after a read, another one is expected: callers come back for more. */
const READS_FOLLOW_MS = 20

/** Two changes of one workspace: one runs, and the other is there when its lock is free. */
const MOST_OF_LANE = 2

/** When a change may be sent. */
export interface ChangeTurn {
  /** The changes of one lane are sent in the order of their calls. */
  readonly lane: string
  /** The last moment to send it, as `performance.now()` tells it. */
  readonly latestMs: number
  /** Aborted when its time is over. */
  readonly signal: AbortSignal | undefined
  /** The error for a change that did not get its turn in time, and so was not sent. */
  readonly late: () => Error
}

/** A change in flight. */
interface Sent {
  readonly lane: string
  readonly sentAtMs: number
  readonly deadlineMs: number
}

/** A change that waits for its turn. */
interface Waiting {
  readonly latestMs: number
  readonly start: (sent: Sent) => void
  readonly giveUp: () => void
}

/**
 * Lets only a few changes at a time use a pool, so that lookups keep connections and processor
 * time. Each workspace is a lane; lanes take turns.
 */
export class ChangeQueue {
  #reads = 0
  #lastReadMs = Number.NEGATIVE_INFINITY
  readonly #inFlight = new InFlight<Sent>(() => this.#sendWaiting())
  readonly #lanes = new Map<string, Set<Waiting>>()

  /** Runs `work` when it is its turn, or rejects when that is too late. */
  async run<T>(turn: ChangeTurn, work: () => Promise<T>): Promise<T> {
    const { lane } = turn
    const mustWait = this.#lanes.has(lane) || !this.#hasRoom(lane)
    const sent = mustWait ? await this.#wait(turn) : this.#begin(lane)
    try {
      return await work()
    } finally {
      this.#inFlight.all.delete(sent)
      this.#sendWaiting()
    }
  }

  /** Runs a read at once. Fewer changes begin meanwhile. */
  async runRead<T>(work: () => Promise<T>): Promise<T> {
    this.#reads += 1
    try {
      return await work()
    } finally {
      this.#reads -= 1
      this.#lastReadMs = performance.now()
    }
  }

  #most(): number {
    const isRead = this.#reads > 0 || performance.now() - this.#lastReadMs < READS_FOLLOW_MS
    return isRead ? MOST_BESIDE_READS : MOST_ALONE
  }

  #begin(lane: string): Sent {
    const sent = { lane, sentAtMs: performance.now(), deadlineMs: Number.POSITIVE_INFINITY }
    this.#inFlight.all.add(sent)
    return sent
  }

  #wait({ lane, latestMs, signal, late }: ChangeTurn): Promise<Sent> {
    return new Promise((resolve, reject) => {
      const end = () => {
        signal?.removeEventListener('abort', giveUp)
        this.#remove(lane, waiting)
      }
      const start = (sent: Sent) => {
        end()
        resolve(sent)
      }
      const giveUp = () => {
        end()
        reject(late())
      }
      const waiting = { latestMs, start, giveUp }
      if (signal?.aborted) return giveUp()
      signal?.addEventListener('abort', giveUp)
      this.#add(lane, waiting)
    })
  }

  #add(lane: string, waiting: Waiting): void {
    const others = this.#lanes.get(lane)
    if (others) others.add(waiting)
    else this.#lanes.set(lane, new Set([waiting]))
    this.#inFlight.sendLater()
  }

  #remove(lane: string, waiting: Waiting): void {
    const others = this.#lanes.get(lane)
    others?.delete(waiting)
    if (others?.size === 0) this.#lanes.delete(lane)
  }

  #sendWaiting(): void {
    for (const [lane, others] of this.#lanes) {
      if (!this.#inFlight.hasRoomBeside(this.#most())) break
      if (!this.#hasRoom(lane)) continue
      // The lane goes to the back of the line, where this loop meets it again. The loop ends, since
      // each turn either sends a change, of which few fit, or leaves the lane empty.
      this.#lanes.delete(lane)
      this.#lanes.set(lane, others)
      this.#sendFirst(lane, others)
    }
    if (this.#lanes.size > 0) this.#inFlight.sendLater()
  }

  #sendFirst(lane: string, others: ReadonlySet<Waiting>): void {
    for (const waiting of others) {
      if (waiting.latestMs > performance.now()) {
        waiting.start(this.#begin(lane))
        return
      }
      waiting.giveUp()
    }
  }

  #hasRoom(lane: string): boolean {
    const own = [...this.#inFlight.all].filter((sent) => sent.lane === lane)
    return own.length < MOST_OF_LANE && this.#inFlight.hasRoomBeside(this.#most())
  }
}

const QUEUES = new WeakMap<object, ChangeQueue>()

/** The queue of a pool, whichever storages use it. */
export function changeQueueOf(pool: object): ChangeQueue {
  const known = QUEUES.get(pool)
  if (known !== undefined) return known
  const queue = new ChangeQueue()
  QUEUES.set(pool, queue)
  return queue
}
