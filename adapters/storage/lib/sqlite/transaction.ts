import { isBusy } from './driver.ts'
import type { Statements } from './statements.ts'

/**
 * Runs `work` as one atomic change. The write lock is taken before anything is read, so that what
 * a guard has seen is still true when the change is written. Throws what `work` throws, with
 * nothing changed.
 */
export function change<T>(sql: Statements, work: () => T): T {
  sql.beginImmediate.run()
  return finish(sql, work)
}

/** Runs several reads on one snapshot. */
export function snapshot<T>(sql: Statements, work: () => T): T {
  sql.begin.run()
  return finish(sql, work)
}

function finish<T>(sql: Statements, work: () => T): T {
  try {
    const result = work()
    sql.commit.run()
    return result
  } catch (error) {
    rollBack(sql)
    throw error
  }
}

function rollBack(sql: Statements): void {
  try {
    sql.rollback.run()
  } catch {
    // SQLite has rolled back by itself, as it does when the disk is full; the first error tells why.
  }
}

/**
 * Runs `work` until the database is free for it, for at most `patienceMs`; then throws what the
 * driver threw. Waits without blocking the process.
 */
export async function whenFree<T>(work: () => T, patienceMs: number): Promise<T> {
  const deadline = performance.now() + patienceMs
  for (let attempt = 0; ; attempt += 1) {
    try {
      return work()
    } catch (error) {
      if (!isBusy(error) || performance.now() >= deadline) throw error
    }
    await pause(Math.random() * Math.min(25, 2 ** attempt))
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
