import type { StorageCall } from '../../../../src/storage/index.ts'
import { integerIn, rowFrom } from '../sql/cells.ts'
import type { Work } from '../sql/work.ts'
import { StorageError } from '../storage-error.ts'
import { Connection } from './connection.ts'
import { checkVersion, faultOf, nameOf, openDatabase, type SqliteDatabase } from './driver.ts'
import { LockQueue } from './lock-queue.ts'
import { migrateSchema } from './migrations.ts'

/**
 * One connection from its first use to its end. SQLite answers within the call, so a transaction is
 * never interleaved with another one of the same process. What finds the database locked by another
 * process waits in a queue: changes in one, reads in another, since reads rarely have to wait.
 */
export class Session {
  /** Set once the database is open and has the tables: reads need not wait then. */
  ready: Connection | null = null
  readonly #source: string | SqliteDatabase
  readonly #name: string
  readonly #migrates: boolean
  readonly #connecting = new Once<Connection>()
  readonly #opening = new Once<Connection>()
  readonly #reads = new LockQueue()
  readonly #changes = new LockQueue()
  /** Apart from the changes, which must not wait until a reader in another process has ended. */
  readonly #compactions = new LockQueue()
  #closed = false

  constructor(source: string | SqliteDatabase, { migrate }: { readonly migrate: boolean }) {
    this.#source = source
    this.#name = nameOf(source)
    this.#migrates = migrate
  }

  /** Runs reads on one snapshot, again while the database is locked. */
  read<T>(work: () => Work<T>, call?: StorageCall): Promise<T> {
    return this.#inTurn(this.#reads, (connection) => connection.read(work), call)
  }

  /** Runs a change as one transaction, after all earlier changes. */
  change<T>(work: (connection: Connection) => T, call?: StorageCall): Promise<T> {
    const run = (connection: Connection) => connection.change(() => work(connection))
    return this.#inTurn(this.#changes, run, call)
  }

  /** Rewrites the file and empties its log, so that neither holds anything that was deleted. */
  async compact(call?: StorageCall): Promise<void> {
    await this.#inTurn(this.#compactions, ({ database }) => database.exec('VACUUM'), call)
    await this.#inTurn(this.#compactions, ({ database }) => emptyLog(database), call)
  }

  migrate(call?: StorageCall): Promise<void> {
    return this.inspect((database) => migrateSchema(database, this.#name, true), call)
  }

  /** Runs work on the database as it is, with tables or without. */
  inspect<T>(work: (database: SqliteDatabase) => T, call?: StorageCall): Promise<T> {
    return this.#faulty(async () => {
      const connection = await this.#connect(call)
      return this.#reads.run(() => connection.attempt(() => work(connection.database)), call)
    })
  }

  /** Waits for the changes under way, then closes the database if this session opened it. */
  async close(): Promise<void> {
    this.#closed = true
    this.ready = null
    await this.#opening.end()
    await this.#changes.run(() => undefined)
    // Some drivers release the file only when no statement is left, so none is kept.
    const connection = await this.#connecting.end()
    if (typeof this.#source === 'string') connection?.database.close()
  }

  #inTurn<T>(
    queue: LockQueue,
    work: (connection: Connection) => T,
    call: StorageCall | undefined,
  ): Promise<T> {
    return this.#faulty(async () => {
      const connection = await this.#open(call)
      return queue.run(() => connection.attempt(() => work(connection)), call)
    })
  }

  async #faulty<T>(work: () => Promise<T>): Promise<T> {
    try {
      if (this.#closed) throw new StorageError('closed', 'the storage is closed')
      return await work()
    } catch (error) {
      throw faultOf(error, this.#name)
    }
  }

  /** Calls that join in opening the database go by the time of the first. */
  #open(call?: StorageCall): Promise<Connection> {
    return this.#opening.run(async () => {
      const connection = await this.#connect(call)
      const bringUp = () => migrateSchema(connection.database, this.#name, this.#migrates)
      await this.#reads.run(() => connection.attempt(bringUp), call)
      if (!this.#closed) this.ready = connection
      return connection
    })
  }

  #connect(call?: StorageCall): Promise<Connection> {
    const source = this.#source
    return this.#connecting.run(async () => {
      const isOfHost = typeof source !== 'string'
      const database = isOfHost ? source : await this.#openFile(source, call)
      if (isOfHost) checkVersion(database)
      return new Connection(database, isOfHost)
    })
  }

  /** Opens the file and sets the connection up, again while another process has it locked. */
  async #openFile(path: string, call?: StorageCall): Promise<SqliteDatabase> {
    const database = await openDatabase(path)
    try {
      checkVersion(database)
      await this.#reads.run(() => setUp(database), call)
      return database
    } catch (error) {
      database.close()
      throw error
    }
  }
}

/** Work that is done once. After a failure the next caller starts it again. */
class Once<T> {
  #running: Promise<T> | null = null

  run(work: () => Promise<T>): Promise<T> {
    this.#running ??= work().catch((error: unknown) => {
      this.#running = null
      throw error
    })
    return this.#running
  }

  /** Forgets the result and resolves with it. */
  async end(): Promise<T | undefined> {
    const end = await this.#running?.catch(() => undefined)
    this.#running = null
    return end
  }
}

/** Throws `SQLITE_BUSY` while a reader needs the log: the statement only says so in its answer. */
function emptyLog(database: SqliteDatabase): void {
  const row = rowFrom(database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get())
  if (integerIn(row, 'busy') === 0) return
  throw Object.assign(new Error('database is locked'), { code: 'SQLITE_BUSY' })
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
