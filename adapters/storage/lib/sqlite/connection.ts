import { integerIn, rowFrom } from '../sql/cells.ts'
import type { Sql } from '../sql/sql.ts'
import { atOnce, type Result, type Work } from '../sql/work.ts'
import { StorageError } from '../storage-error.ts'
import { isOf, type SqliteDatabase, type SqliteStatement } from './driver.ts'
import { rollBack } from './migrations.ts'

/** How many prepared statements are kept: those of all methods, and of the filters of some lists. */
const MOST_PREPARED = 200

export class Connection {
  readonly database: SqliteDatabase
  /** Where the host has opened the database: its driver may block the process while it waits for a lock. */
  readonly #busyTimeout: SqliteStatement | null
  readonly #prepared = new Map<string, SqliteStatement>()

  constructor(database: SqliteDatabase, isOfHost: boolean) {
    this.database = database
    this.#busyTimeout = isOfHost ? database.prepare('PRAGMA busy_timeout') : null
  }

  /** Runs work that throws at once when the database is locked: a timeout of the host is off meanwhile. */
  attempt<T>(work: () => T): T {
    if (this.#busyTimeout === null) return work()
    const timeoutMs = integerIn(rowFrom(this.#busyTimeout.get()), 'timeout')
    if (timeoutMs === 0) return work()
    this.database.exec('PRAGMA busy_timeout = 0')
    try {
      return work()
    } finally {
      this.database.exec(`PRAGMA busy_timeout = ${timeoutMs}`)
    }
  }

  run({ text, values }: Sql): Result {
    const statement = this.prepared(text)
    if (!text.startsWith('SELECT')) {
      return { rows: [], changes: Number(statement.run(...values).changes) }
    }
    return { rows: statement.all(...values).map(rowFrom), changes: 0 }
  }

  prepared(text: string): SqliteStatement {
    const known = this.#prepared.get(text)
    if (known !== undefined) return known
    const statement = this.database.prepare(text)
    this.#prepared.set(text, statement)
    const [oldest = ''] = this.#prepared.keys()
    if (this.#prepared.size > MOST_PREPARED) this.#prepared.delete(oldest)
    return statement
  }

  read<T>(work: () => Work<T>): T {
    return this.#transaction('BEGIN', () => atOnce(work(), (statement) => this.run(statement)))
  }

  /** Runs work as one change, whose lock is taken before anything is read. */
  change<T>(work: () => T): T {
    return this.#transaction('BEGIN IMMEDIATE', work)
  }

  #transaction<T>(begin: string, work: () => T): T {
    this.prepared(begin).run()
    try {
      const result = work()
      this.#commit()
      return result
    } catch (error) {
      rollBack(this.database)
      throw error
    }
  }

  /** A commit that fails may be on the disk, but where it was locked out or found no room. */
  #commit(): void {
    try {
      this.prepared('COMMIT').run()
    } catch (error) {
      if (isOf('BUSY', error) || isOf('FULL', error)) throw error
      const message = 'the commit failed: the change may have been made'
      throw new StorageError('outcome_unknown', `${message} (${Object(error).message})`)
    }
  }
}
