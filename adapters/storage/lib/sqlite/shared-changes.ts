import type { StorageCall } from '../../../../src/storage/index.ts'
import type { Work } from '../sql/work.ts'
import { isBusy } from './driver.ts'
import { LockQueue, SLICE_MS } from './lock-queue.ts'
import type { Statements } from './statements.ts'
import { type Attempt, atOnce, change } from './transaction.ts'

/** A change that is not made yet. */
interface Waiting {
  /** Makes it and returns how to answer it, which is for after the commit. */
  readonly make: () => () => void
  readonly reject: (error: unknown) => void
}

/** What changes are made with. */
interface Connection {
  readonly sql: Statements
  readonly attempt: Attempt
}

/**
 * Makes changes in the order of their calls. Those that wait share a transaction, and so one commit: as
 * many as a slice of time holds. A change that fails is undone alone; where the transaction fails, none
 * of its changes is made.
 */
export class SharedChanges {
  readonly #queue = new LockQueue()
  readonly #waiting = new Set<Waiting>()

  run<T>({ sql, attempt }: Connection, work: () => Work<T>, call?: StorageCall): Promise<T> {
    return new Promise((resolve, reject) => {
      const make = () => {
        const answer = atOnce(work())
        return () => resolve(answer)
      }
      const waiting = { make, reject }
      this.#waiting.add(waiting)
      const makeIt = () => {
        if (this.#waiting.has(waiting)) attempt(() => this.#makeAll(sql))
      }
      this.#queue.run(makeIt, call).catch((error: unknown) => {
        this.#waiting.delete(waiting)
        reject(error)
      })
    })
  }

  /** Throws while the database is locked, with nothing made. */
  #makeAll(sql: Statements): void {
    const made = new Map<Waiting, () => void>()
    try {
      change(sql, () => this.#each(sql, made))
    } catch (error) {
      if (isBusy(error) || made.size === 0) throw error
      for (const waiting of made.keys()) made.set(waiting, () => waiting.reject(error))
    }
    for (const [waiting, answer] of made) {
      this.#waiting.delete(waiting)
      answer()
    }
  }

  *#each(sql: Statements, made: Map<Waiting, () => void>): Work<void> {
    const endMs = performance.now() + SLICE_MS
    const isAlone = this.#waiting.size === 1
    for (const waiting of this.#waiting) {
      made.set(waiting, () => {})
      made.set(waiting, isAlone ? waiting.make() : undoneAlone(sql, waiting))
      if (performance.now() > endMs) return
    }
  }
}

function undoneAlone(sql: Statements, { make, reject }: Waiting): () => void {
  sql.savepoint.run()
  try {
    const answer = make()
    sql.release.run()
    return answer
  } catch (error) {
    if (isBusy(error) || !isUndone(sql)) throw error
    return () => reject(error)
  }
}

/** Where SQLite has rolled back by itself, as it does when the disk is full, no savepoint is left. */
function isUndone(sql: Statements): boolean {
  try {
    sql.rollbackToSavepoint.run()
    sql.release.run()
    return true
  } catch {
    return false
  }
}
