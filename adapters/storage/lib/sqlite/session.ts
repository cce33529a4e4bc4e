import { StorageError } from '../storage-error.ts'
import { openDatabase, type SqliteDatabase } from './driver.ts'
import { checkSchema, migrateSchema } from './migrate.ts'
import { prepareStatements, type Statements } from './statements.ts'
import { change, whenFree } from './transaction.ts'

/** How a storage opens its database and how long it waits for it. */
export interface SessionOptions {
  readonly migrate: boolean
  readonly busyTimeoutMs: number
}

// A lock is held for about a millisecond at a time, so the driver may wait a little by itself. It
// blocks the process while it does; longer waits are left to `whenFree`, which does not.
const DRIVER_BUSY_TIMEOUT_MS = 5

/**
 * One connection from its first use to its end. SQLite answers within the call, so a transaction is
 * never interleaved with another one of the same process; changes that find the database locked by
 * another process queue here in the order they came.
 */
export class Session {
  /** The statements, once the database is open: reads need not wait then. */
  ready: Statements | null = null
  readonly #source: string | SqliteDatabase
  readonly #options: SessionOptions
  /** The database that this session opens itself, if it does. */
  #connecting: Promise<SqliteDatabase> | null = null
  #opening: Promise<Statements> | null = null
  #lastChange: Promise<unknown> = Promise.resolve()
  #closed = false

  constructor(source: string | SqliteDatabase, options: SessionOptions) {
    this.#source = source
    this.#options = options
  }

  /** Runs a read, again while the database is locked. */
  async read<T>(work: (sql: Statements) => T): Promise<T> {
    const sql = await this.#open()
    return whenFree(() => work(sql), this.#options.busyTimeoutMs)
  }

  /** Runs a change in a transaction of its own, after all changes that were asked for before. */
  change<T>(work: (sql: Statements) => T): Promise<T> {
    const { busyTimeoutMs } = this.#options
    const before = this.#lastChange
    const askedAt = performance.now()
    const outcome = this.#open().then(async (sql) => {
      await before
      const left = busyTimeoutMs - (performance.now() - askedAt)
      return whenFree(() => change(sql, () => work(sql)), left)
    })
    // One that fails early, on a closed storage say, is not over before those it came after.
    this.#lastChange = outcome.catch(() => before)
    return outcome
  }

  /** Brings the schema up to date, whatever the options say. */
  async migrate(): Promise<void> {
    if (this.#closed) throw closedError()
    const database = await this.#connect()
    await whenFree(() => migrateSchema(database), this.#options.busyTimeoutMs)
  }

  /** Waits for the changes under way, then closes the database if this session opened it. */
  async close(): Promise<void> {
    this.#closed = true
    this.ready = null
    await this.#opening?.catch(() => undefined)
    await this.#lastChange
    const database = await this.#connecting?.catch(() => undefined)
    // Some drivers let go of the file only when no statement is left, so none is kept.
    this.#connecting = null
    this.#opening = null
    database?.close()
  }

  #open(): Promise<Statements> {
    if (this.#closed) return Promise.reject(closedError())
    this.#opening ??= this.#prepare().catch((error: unknown) => {
      this.#opening = null
      throw error
    })
    return this.#opening
  }

  async #prepare(): Promise<Statements> {
    const database = await this.#connect()
    const { migrate, busyTimeoutMs } = this.#options
    await whenFree(() => (migrate ? migrateSchema : checkSchema)(database), busyTimeoutMs)
    const sql = prepareStatements(database)
    if (!this.#closed) this.ready = sql
    return sql
  }

  #connect(): Promise<SqliteDatabase> {
    const source = this.#source
    if (typeof source !== 'string') return Promise.resolve(source)
    this.#connecting ??= openAndSetUp(source, this.#options.busyTimeoutMs).catch(
      (error: unknown) => {
        this.#connecting = null
        throw error
      },
    )
    return this.#connecting
  }
}

/** Opens the file and sets the connection up, again while another process has it locked. */
async function openAndSetUp(path: string, busyTimeoutMs: number): Promise<SqliteDatabase> {
  const database = await openDatabase(path)
  try {
    await whenFree(() => setUp(database), busyTimeoutMs)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

function closedError(): StorageError {
  return new StorageError('closed', 'the storage is closed')
}

/** The settings of a connection that the storage has opened itself. Throws while it is locked. */
export function setUp(database: SqliteDatabase): void {
  database.exec(`PRAGMA busy_timeout = ${DRIVER_BUSY_TIMEOUT_MS}`)
  database.exec('PRAGMA journal_mode = WAL')
  // With NORMAL a power cut can undo the last commits, and an answered revocation with them.
  database.exec('PRAGMA synchronous = FULL')
  // macOS alone: fsync does not reach the disk there without it.
  database.exec('PRAGMA fullfsync = ON')
}
