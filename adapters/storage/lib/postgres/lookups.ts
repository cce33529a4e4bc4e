import type { KeyRecord } from '../../../../src/storage/index.ts'
import { Alarms } from './alarms.ts'
import type { Calls } from './calls.ts'
import { type Found, finderOf } from './finder.ts'
import type { Deadline } from './progress.ts'
import type { Readiness } from './readiness.ts'
import type { Statements } from './statements.ts'

/** How many lookups are on their way at once; the others gather for the next one. */
const ROUND_TRIPS = 2

/** After so many milliseconds without an answer a lookup no longer keeps others from being sent. */
const SLOW_MS = 250

/** How many are on their way at most when some are slow: a dead connection must not stop all. */
const MOST_ROUND_TRIPS = 8

/** The most hashes in one statement. */
const LARGEST = 512

/** Fewer than this go together: a statement of their own costs more than it saves. */
const FEW = 32

interface Asker {
  readonly hash: string
  readonly deadline: Deadline
  readonly resolve: (record: KeyRecord | null) => void
  readonly reject: (error: unknown) => void
}

/**
 * Looks keys up by hash, many callers in one round trip. A caller only ever joins a lookup that has
 * not been sent yet, so each gets an answer that was read after it asked: a revocation that was
 * answered before the question is always seen.
 */
export function lookupsOf(
  calls: Calls,
  statements: Statements,
  readiness: Readiness,
  alarms = new Alarms(),
): (hash: string) => Promise<KeyRecord | null> {
  const find = finderOf(calls, statements)
  const lookups = new Lookups(async (askers) => {
    // Whoever asked first has the least time left.
    const { deadline } = askers[0] as Asker
    await readiness.ensure(deadline)
    return find(askers.map(hashOf), deadline)
  }, alarms)
  return (hash) =>
    new Promise((resolve, reject) => {
      lookups.ask({ hash, deadline: calls.deadline(), resolve, reject })
    })
}

/** Never empty. */
type Askers = readonly Asker[]

/** Who asks, who is on the way, and when the next ones are sent. */
class Lookups {
  readonly #find: (askers: Askers) => Promise<Found>
  readonly #alarms: Alarms
  #waiting: Asker[] = []
  #running = 0
  /** How many askers the running lookups have together. */
  #onTheirWay = 0
  #slow = 0
  #isGathering = false
  #wasAlone = true

  constructor(find: (askers: Askers) => Promise<Found>, alarms: Alarms) {
    this.#find = find
    this.#alarms = alarms
  }

  /**
   * One who is alone is sent at once. Others wait for the end of the turn: whoever asks in the same
   * turn goes along, and after an answer for many, many ask again.
   */
  ask(asker: Asker): void {
    this.#waiting.push(asker)
    if (this.#running === 0 && this.#wasAlone) this.#send()
    else this.#gather()
  }

  #gather(): void {
    if (this.#isGathering) return
    this.#isGathering = true
    afterThisTurn(() => {
      this.#isGathering = false
      this.#send()
    })
  }

  #send(): void {
    while (this.#running < Math.min(ROUND_TRIPS + this.#slow, MOST_ROUND_TRIPS)) {
      if (this.#waiting.length === 0) return
      void this.#run(this.#waiting.splice(0, this.#share()))
    }
  }

  /** An equal share for each round trip, so that the server works while we do. */
  #share(): number {
    const share = Math.ceil((this.#waiting.length + this.#onTheirWay) / ROUND_TRIPS)
    return Math.min(Math.max(share, FEW), LARGEST)
  }

  async #run(askers: Askers): Promise<void> {
    this.#running += 1
    this.#onTheirWay += askers.length
    let isSlow = false
    const alarm = this.#alarms.set(performance.now() + SLOW_MS, () => {
      isSlow = true
      this.#slow += 1
      this.#send()
    })
    try {
      settle(askers, await this.#find(askers))
    } catch (error) {
      for (const { reject } of askers) reject(error)
    }
    this.#alarms.clear(alarm)
    if (isSlow) this.#slow -= 1
    this.#running -= 1
    this.#onTheirWay -= askers.length
    this.#wasAlone = askers.length === 1
    if (this.#waiting.length > 0) this.#gather()
  }
}

/** Node reads all sockets that have something before it comes to this; others have no such turn. */
const afterThisTurn: (work: () => void) => unknown = globalThis.setImmediate ?? queueMicrotask

function hashOf({ hash }: Asker): string {
  return hash
}

function settle(askers: Askers, found: Found): void {
  for (const { hash, resolve, reject } of askers) {
    const key = found.get(hash) ?? null
    if (key instanceof Error) reject(key)
    else resolve(key)
  }
}
