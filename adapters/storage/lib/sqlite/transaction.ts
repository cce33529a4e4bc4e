import { integerIn, rowFrom } from '../row.ts'
import type { Work } from '../sql/work.ts'
import type { SqliteDatabase } from './driver.ts'
import type { Statements } from './statements.ts'

/**
 * Runs `work` as one atomic change. The write lock is taken before anything is read, so that what
 * a guard has seen is still true when the change is written. Throws what `work` throws, with
 * nothing changed.
 */
export function change<T>(sql: Statements, work: () => Work<T>): T {
  sql.beginImmediate.run()
  return finish(sql, work)
}

/** Runs several reads on one snapshot. */
export function snapshot<T>(sql: Statements, work: () => Work<T>): T {
  sql.begin.run()
  return finish(sql, work)
}

/** Runs work without a pause: SQLite answers at once. */
export function atOnce<T>(work: Work<T>): T {
  let step = work.next()
  while (!step.done) step = work.next(step.value)
  return step.value
}

function finish<T>(sql: Statements, work: () => Work<T>): T {
  try {
    const result = atOnce(work())
    sql.commit.run()
    return result
  } catch (error) {
    rollBack(() => sql.rollback.run())
    throw error
  }
}

/** Rolls back after an error, which stays the one that is reported. */
export function rollBack(rollback: () => unknown): void {
  try {
    rollback()
  } catch {
    // SQLite has rolled back by itself, as it does when the disk is full; the first error tells why.
  }
}

/** Runs work that throws at once when the database is locked. */
export type Attempt = <T>(work: () => T) => T

/**
 * Attempts on a connection of the host. The driver's own waiting would block the process, so a
 * timeout that the host has set is turned off meanwhile.
 */
export function withoutBlocking(database: SqliteDatabase): Attempt {
  const busyTimeout = database.prepare('PRAGMA busy_timeout')
  return (work) => {
    const timeoutMs = integerIn(rowFrom(busyTimeout.get()), 'timeout')
    if (timeoutMs === 0) return work()
    database.exec('PRAGMA busy_timeout = 0')
    try {
      return work()
    } finally {
      database.exec(`PRAGMA busy_timeout = ${timeoutMs}`)
    }
  }
}
