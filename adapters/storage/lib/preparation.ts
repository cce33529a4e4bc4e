import { type Deadline, deadlineOf, untilAborted } from './deadline.ts'
import { NoAnswer } from './progress.ts'
import { StorageError } from './storage-error.ts'

/** What has to be known of a server once, before anything else. A failure is not remembered. */
export class Preparation<T> {
  /** `null` until it is known. */
  ready: T | null = null
  readonly #server: string
  readonly #prepare: (deadline: Deadline) => Promise<T>
  #running: Promise<T> | null = null

  /** `server` is what the server is called in messages. */
  constructor(server: string, prepare: (deadline: Deadline) => Promise<T>) {
    this.#server = server
    this.#prepare = prepare
  }

  /** Waits until it is known. What was begun goes on after the deadline; only this caller stops waiting. */
  ensure(deadline: Deadline): Promise<T> {
    // What another call began has that call's time, which may be over before ours.
    const running = this.#running?.catch((error) => {
      if (isOutOfTime(error)) return this.#start(deadline)
      throw error
    })
    const message = `${this.#server} was not ready in time`
    const notReady = () => new StorageError('timeout', message)
    return untilAborted(deadline.signal, running ?? this.#start(deadline), notReady)
  }

  #start(deadline: Deadline): Promise<T> {
    this.#running ??= this.#prepare(deadline)
      .then((value) => {
        this.ready = value
        return value
      })
      .finally(() => {
        this.#running = null
      })
    return this.#running
  }
}

function isOutOfTime(error: unknown): boolean {
  return error instanceof NoAnswer || (error instanceof StorageError && error.code === 'timeout')
}

/** How long a migration may take, which waits for those of other processes. */
const MIGRATION_MS = 60_000

/** Runs a migration, which has a deadline of its own. */
export async function withinMigrationTime<T>(work: (deadline: Deadline) => Promise<T>): Promise<T> {
  const limit = new AbortController()
  const timer = setTimeout(() => limit.abort(), MIGRATION_MS)
  try {
    return await work(deadlineOf({ timeoutMs: MIGRATION_MS, signal: limit.signal }))
  } finally {
    clearTimeout(timer)
  }
}
