import { integerIn, rowFrom } from '../row.ts'
import type { SqliteDatabase, SqliteStatement } from './driver.ts'
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

/** The statement that `withoutBlocking` needs, to be prepared once. */
export function prepareBusyTimeout(database: SqliteDatabase): SqliteStatement {
  return database.prepare('PRAGMA busy_timeout')
}

/**
 * Runs `work` so that it throws at once when the database is locked. The driver's own waiting would
 * block the process; a connection of the host may have it, and gets it back.
 */
export function withoutBlocking<T>(
  database: SqliteDatabase,
  busyTimeout: SqliteStatement,
  work: () => T,
): T {
  const timeoutMs = integerIn(rowFrom(busyTimeout.get()), 'timeout')
  if (timeoutMs === 0) return work()
  database.exec('PRAGMA busy_timeout = 0')
  try {
    return work()
  } finally {
    database.exec(`PRAGMA busy_timeout = ${timeoutMs}`)
  }
}
