import { type Deadline, untilAborted } from '../deadline.ts'
import { InFlight } from '../in-flight.ts'
import { StorageError } from '../storage-error.ts'
import type { CallTime } from './server-clock.ts'

/** How many statements are in flight at once; other changes wait for the next one. */
const MOST_PROMPT = 2

/** The most changes in one transaction: it holds the row of the log meanwhile. */
const LARGEST = 64

/** A change that may share a transaction. */
export interface SharedChange {
  readonly name: string
  readonly lane: string
  readonly deadline: Deadline
  /** Its argument. */
  readonly json: string
  readonly timeOfCall: () => CallTime
  /** Whether an attempt to make it with others may have run. */
  isRepeat: boolean
}

/** Makes several changes together; `null` for one that has to be made alone. */
type MakeTogether = (
  changes: readonly SharedChange[],
  deadline: Deadline,
) => Promise<readonly (string | null)[]>

interface Waiting {
  readonly change: SharedChange
  readonly resolve: (answer: string | null) => void
  readonly reject: (error: unknown) => void
}

/** How changes are made. */
interface BatchParts {
  readonly together: MakeTogether
  readonly alone: (change: SharedChange) => Promise<string | null>
}

/**
 * Lets changes that wait share a transaction, and so one commit. Each has its own answer. A
 * transaction that was not made is made again change by change, so that no change fails because of
 * its neighbours; where its answer was lost, the outcome of all of them is unknown.
 */
export class ChangeBatches {
  readonly #parts: BatchParts
  readonly #waiting = new Set<Waiting>()
  readonly #inFlight = new InFlight<{ sentAtMs: number; deadlineMs: number }>(() => this.#send())

  constructor(parts: BatchParts) {
    this.#parts = parts
  }

  run(change: SharedChange): Promise<string | null> {
    return new Promise((resolve, reject) => {
      const waiting = { change, resolve, reject }
      this.#waiting.add(waiting)
      this.#send()
      if (!this.#waiting.has(waiting)) return
      untilAborted(change.deadline.signal, new Promise(() => {}), tooLate).catch((error) => {
        if (this.#waiting.delete(waiting)) reject(error)
      })
    })
  }

  #send(): void {
    while (this.#waiting.size > 0 && this.#inFlight.hasRoomBeside(MOST_PROMPT)) {
      const batch = [...this.#waiting].slice(0, LARGEST)
      for (const waiting of batch) this.#waiting.delete(waiting)
      void this.#run(batch)
    }
    if (this.#waiting.size > 0) this.#inFlight.sendLater()
  }

  async #run(batch: readonly Waiting[]): Promise<void> {
    const deadline = batch.map(({ change }) => change.deadline).reduce(earlier)
    const sent = { sentAtMs: performance.now(), deadlineMs: deadline.atMs }
    this.#inFlight.all.add(sent)
    const answers = batch.length === 1 ? [] : await this.#together(batch, deadline)
    const alone = batch.map(async ({ change, resolve, reject }, at) => {
      const answer = answers?.[at] ?? null
      if (answer !== null) resolve(answer)
      else if (answers !== null) await this.#parts.alone(change).then(resolve, reject)
    })
    await Promise.all(alone)
    this.#inFlight.all.delete(sent)
    this.#send()
  }

  /** `null` where all of them have been rejected. */
  async #together(batch: readonly Waiting[], deadline: Deadline) {
    try {
      return await this.#parts.together(
        batch.map(({ change }) => change),
        deadline,
      )
    } catch (error) {
      if (!(error instanceof StorageError && error.code === 'outcome_unknown')) return []
      for (const { reject } of batch) reject(error)
      return null
    }
  }
}

function earlier(one: Deadline, other: Deadline): Deadline {
  return other.atMs < one.atMs ? other : one
}

function tooLate(): StorageError {
  return new StorageError('timeout', 'too many changes were waiting')
}
