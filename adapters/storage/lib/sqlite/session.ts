import type { StorageCall } from '../../../../src/storage/index.ts'
import { integerIn, rowFrom, textIn } from '../row.ts'
import type { Work } from '../sql/work.ts'
import { stopwatch } from '../stopwatch.ts'
import { StorageError } from '../storage-error.ts'
import { asNoDatabase, openDatabase, type SqliteDatabase } from './driver.ts'
import { LockQueue } from './lock-queue.ts'
import { checkSchema, migrateSchema } from './migrations.ts'
import { SharedChanges } from './shared-changes.ts'
import { prepareStatements, type Statements } from './statements.ts'
import { type Attempt, withoutBlocking } from './transaction.ts'

/** How a storage opens its database. */
export interface SessionOptions {
  readonly migrate: boolean
}

/**
 * One connection from its first use to its end. SQLite answers within the call, so a transaction is
 * never interleaved with another one of the same process. What finds the database locked by another
 * process waits in a queue: changes in one, reads in another, since reads rarely have to wait.
 */
export class Session {
  /** Set once the database is open: reads need not wait then. */
  ready: Opened | null = null
  readonly #source: string | SqliteDatabase
  readonly #options: SessionOptions
  /** The database that this session opens itself, if it does. */
  #connecting: Promise<SqliteDatabase> | null = null
  #opening: Promise<Opened> | null = null
  readonly #reads = new LockQueue()
  readonly #changes = new SharedChanges()
  /** Apart from the changes, which must not wait until a reader in another process has ended. */
  readonly #compactions = new LockQueue()
  /** For `close` alone: the queue keeps the order. */
  #changesUnderWay: Promise<unknown> = Promise.resolve()
  #closed = false

  constructor(source: string | SqliteDatabase, options: SessionOptions) {
    this.#source = source
    this.#options = options
  }

  /** Runs a read, again while the database is locked. */
  async read<T>(work: (sql: Statements) => T, call?: StorageCall): Promise<T> {
    const { sql, attemptRead } = await this.#open(call)
    return this.#reads.run(() => attemptRead(() => work(sql)), call)
  }

  /**
   * Runs a change as one atomic step, after all earlier changes. The work learns how long it has waited,
   * in milliseconds.
   */
  change<T>(work: (sql: Statements, waitedMs: number) => Work<T>, call?: StorageCall): Promise<T> {
    const waited = stopwatch()
    const outcome = this.#open(call).then((opened) =>
      this.#changes.run(opened, () => work(opened.sql, waited()), call),
    )
    const before = this.#changesUnderWay
    // A change may fail early, on a closed storage say, while those before it are still under way.
    this.#changesUnderWay = outcome.catch(() => before)
    return outcome
  }

  /** Rewrites the file and empties its log, so that neither holds anything that was deleted. */
  async compact(call?: StorageCall): Promise<void> {
    const { database, attempt } = await this.#open(call)
    for (const step of [rewriteFile, emptyLog]) {
      await this.#compactions.run(() => attempt(() => step(database)), call)
    }
  }

  /** Brings the schema up to date, whatever the options say. */
  async migrate(call?: StorageCall): Promise<void> {
    await this.inspect(migrateSchema, call)
  }

  /** Runs work on the database as it is, with tables or without. */
  async inspect<T>(work: (database: SqliteDatabase) => T, call?: StorageCall): Promise<T> {
    if (this.#closed) throw closedError()
    const database = await this.#connect(call)
    const attempt = this.#attemptOn(database)
    return this.#reads.run(() => attempt(() => work(database)), call)
  }

  /** Waits for the changes under way, then closes the database if this session opened it. */
  async close(): Promise<void> {
    this.#closed = true
    this.ready = null
    await this.#opening?.catch(() => undefined)
    await this.#changesUnderWay
    const database = await this.#connecting?.catch(() => undefined)
    // Some drivers release the file only when no statement is left, so none is kept.
    this.#connecting = null
    this.#opening = null
    database?.close()
  }

  /** Calls that join in opening the database go by the time of the first. */
  #open(call?: StorageCall): Promise<Opened> {
    if (this.#closed) return Promise.reject(closedError())
    this.#opening ??= this.#prepare(call).catch((error: unknown) => {
      this.#opening = null
      throw error
    })
    return this.#opening
  }

  async #prepare(call?: StorageCall): Promise<Opened> {
    const database = await this.#connect(call)
    const attempt = this.#attemptOn(database)
    const bringUp = this.#options.migrate ? migrateSchema : checkSchema
    await this.#reads.run(() => attempt(() => bringUp(database)), call)
    const attemptRead = isInWalMode(database) ? unchanged : attempt
    const opened = { database, sql: prepareStatements(database), attempt, attemptRead }
    if (!this.#closed) this.ready = opened
    return opened
  }

  /** A connection that the session has opened never waits; that of a host may. */
  #attemptOn(database: SqliteDatabase): Attempt {
    return typeof this.#source === 'string' ? unchanged : withoutBlocking(database)
  }

  #connect(call?: StorageCall): Promise<SqliteDatabase> {
    const source = this.#source
    if (typeof source !== 'string') return Promise.resolve(source)
    this.#connecting ??= this.#openFile(source, call).catch((error: unknown) => {
      this.#connecting = null
      throw error
    })
    return this.#connecting
  }

  /** Opens the file and sets the connection up, again while another process has it locked. */
  async #openFile(path: string, call?: StorageCall): Promise<SqliteDatabase> {
    const database = await openDatabase(path)
    try {
      await this.#reads.run(() => setUp(database), call)
      return database
    } catch (error) {
      database.close()
      throw asNoDatabase(path, error) ?? error
    }
  }
}

/** What a session works with once its database is open. */
interface Opened {
  readonly database: SqliteDatabase
  readonly sql: Statements
  readonly attempt: Attempt
  readonly attemptRead: Attempt
}

const unchanged: Attempt = (work) => work()

/**
 * No writer keeps a reader waiting in WAL mode (https://sqlite.org/wal.html), so a read need not turn
 * off the busy timeout, which takes longer than a lookup.
 */
function isInWalMode(database: SqliteDatabase): boolean {
  const row = rowFrom(database.prepare('PRAGMA journal_mode').get())
  return textIn(row, 'journal_mode') === 'wal'
}

function rewriteFile(database: SqliteDatabase): void {
  database.exec('VACUUM')
}

/** Throws `SQLITE_BUSY` while a reader needs the log: the statement only says so in its answer. */
function emptyLog(database: SqliteDatabase): void {
  const row = rowFrom(database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get())
  if (integerIn(row, 'busy') === 0) return
  throw Object.assign(new Error('database is locked'), { code: 'SQLITE_BUSY' })
}

function closedError(): StorageError {
  return new StorageError('closed', 'the storage is closed')
}

/** The settings of a connection that the storage has opened itself. Throws while it is locked. */
export function setUp(database: SqliteDatabase): void {
  // The driver would block the process while it waits; `LockQueue` does not.
  database.exec('PRAGMA busy_timeout = 0')
  database.exec('PRAGMA journal_mode = WAL')
  // With NORMAL a power cut can undo the last commits, and an answered revocation with them.
  database.exec('PRAGMA synchronous = FULL')
  // macOS alone: fsync does not reach the disk there without it.
  database.exec('PRAGMA fullfsync = ON')
  // What is deleted is overwritten, but for cells that SQLite had moved: only `compact` removes those.
  database.exec('PRAGMA secure_delete = ON')
}
