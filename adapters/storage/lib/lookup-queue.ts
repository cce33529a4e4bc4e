import type { KeyRecord, StorageCall } from '../../../src/storage/index.ts'
import type { Deadline } from './deadline.ts'

/** How many statements are in flight at once; other lookups wait for the next one. */
const MOST_PROMPT = 2

/** After this many milliseconds without an answer, a statement no longer holds up others. */
const SLOW_MS = 250

/** How many are in flight when some are slow, so that a lost connection does not stop all others. */
const MOST_IN_FLIGHT = 8

const LARGEST = 512

/** Fewer lookups than this share one statement: a second one costs more than it saves. */
const FEW = 32

interface PendingLookup {
  readonly hash: string
  readonly call: StorageCall | undefined
  /** An instant of `performance.now()`. */
  readonly deadlineMs: number
  readonly resolve: (record: KeyRecord | null) => void
  readonly reject: (error: unknown) => void
}

/** A statement in flight, by instants of `performance.now()`. */
interface Batch {
  readonly size: number
  readonly sentAtMs: number
  /** Past it the statement does not count any more. */
  readonly deadlineMs: number
}

/** The key of each hash, `null` where there is none, or the reason that it cannot be read. */
export type Found = ReadonlyMap<string, KeyRecord | Error | null>

/** Finds the keys of at least one hash, in the time of the call that waits longest. */
export type FindAll = (
  hashes: readonly string[],
  deadline: Deadline,
  call: StorageCall | undefined,
) => Promise<Found>

/**
 * Looks keys up by hash, many callers in one statement. A caller only ever joins a lookup that was
 * not sent yet, so each answer was read after it was asked for: a lookup that begins after a
 * revocation was answered sees the revocation.
 *
 * A statement has the time of the caller who waits longest. Others are not rejected when their own
 * time is over: the core stops waiting then, and a signal for each lookup would cost too much.
 */
export function lookupsWith(
  findAll: FindAll,
): (hash: string, call?: StorageCall) => Promise<KeyRecord | null> {
  const queue = new LookupQueue(findAll)
  return (hash, call) =>
    new Promise((resolve, reject) => {
      const deadlineMs = performance.now() + (call?.timeoutMs ?? Number.POSITIVE_INFINITY)
      queue.add({ hash, call, deadlineMs, resolve, reject })
    })
}

class LookupQueue {
  readonly #find: FindAll
  readonly #inFlight = new Set<Batch>()
  #timer: ReturnType<typeof setTimeout> | null = null
  #waiting: PendingLookup[] = []
  #isScheduled = false
  #wasAlone = true

  constructor(find: FindAll) {
    this.#find = find
  }

  /** A lone lookup is sent at once. The others wait for the end of the turn and share a statement. */
  add(lookup: PendingLookup): void {
    this.#waiting.push(lookup)
    if (this.#inFlight.size === 0 && this.#wasAlone) this.#send()
    else this.#schedule()
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    afterThisTurn(() => {
      this.#isScheduled = false
      this.#send()
    })
  }

  #send(): void {
    while (this.#waiting.length > 0 && this.#hasRoom()) {
      void this.#run(this.#waiting.splice(0, this.#share()))
    }
    if (this.#waiting.length === 0 || this.#timer !== null) return
    this.#timer = setTimeout(() => {
      this.#timer = null
      this.#send()
    }, SLOW_MS)
    this.#timer.unref?.()
  }

  #hasRoom(): boolean {
    const nowMs = performance.now()
    let prompt = 0
    for (const sent of this.#inFlight) {
      if (sent.deadlineMs <= nowMs) this.#inFlight.delete(sent)
      else if (nowMs - sent.sentAtMs < SLOW_MS) prompt += 1
    }
    return prompt < MOST_PROMPT && this.#inFlight.size < MOST_IN_FLIGHT
  }

  /** An equal share for each statement, so that the server works while we do. */
  #share(): number {
    let inFlight = 0
    for (const { size } of this.#inFlight) inFlight += size
    const share = Math.ceil((this.#waiting.length + inFlight) / MOST_PROMPT)
    return Math.min(Math.max(share, FEW), LARGEST)
  }

  async #run(lookups: readonly PendingLookup[]): Promise<void> {
    const longest = lookups.reduce((one, other) =>
      other.deadlineMs > one.deadlineMs ? other : one,
    )
    const { call, deadlineMs } = longest
    const batch = { size: lookups.length, sentAtMs: performance.now(), deadlineMs }
    this.#inFlight.add(batch)
    try {
      const hashes = lookups.map(({ hash }) => hash)
      const found = await this.#find(hashes, { atMs: deadlineMs }, call)
      for (const { hash, resolve, reject } of lookups) {
        const key = found.get(hash) ?? null
        if (key instanceof Error) reject(key)
        else resolve(key)
      }
    } catch (error) {
      for (const { reject } of lookups) reject(error)
    }
    this.#inFlight.delete(batch)
    this.#wasAlone = batch.size === 1
    if (this.#waiting.length > 0) this.#schedule()
  }
}

/** Node reads all sockets that have data before it runs this; other runtimes have no such turn. */
const afterThisTurn: (work: () => void) => unknown = globalThis.setImmediate ?? queueMicrotask
