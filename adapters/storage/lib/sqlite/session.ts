import type { StorageCall, WorkspaceWrite, WriteOutcome } from '../../../../src/storage/index.ts'
import { integerIn, rowFrom, textIn } from '../sql/cells.ts'
import type { Work } from '../sql/work.ts'
import { atOnce } from '../sql/work.ts'
import { StorageError } from '../storage-error.ts'
import { type Attempt, Connection, withoutBlocking } from './connection.ts'
import { checkVersion, nameOf, openDatabase, type SqliteDatabase } from './driver.ts'
import { faultOf } from './errors.ts'
import { LockQueue } from './lock-queue.ts'
import { checkSchema, migrateSchema } from './migrations.ts'
import { isRefusal, writeStatements } from './write.ts'

/**
 * One connection from its first use to its end. SQLite answers within the call, so a transaction is
 * never interleaved with another one of the same process. What finds the database locked by another
 * process waits in a queue: changes in one, reads in another, since reads rarely have to wait.
 */
export class Session {
  /** Set once the database is open: reads need not wait then. */
  ready: Opened | null = null
  readonly #source: string | SqliteDatabase
  readonly #name: string
  readonly #migrates: boolean
  /** The database that this session opens itself, if it does. */
  #connecting: Promise<SqliteDatabase> | null = null
  #opening: Promise<Opened> | null = null
  readonly #reads = new LockQueue()
  readonly #changes = new LockQueue()
  /** Apart from the changes, which must not wait until a reader in another process has ended. */
  readonly #compactions = new LockQueue()
  readonly #changesUnderWay = new Set<Promise<unknown>>()
  #closed = false

  constructor(source: string | SqliteDatabase, { migrate }: { readonly migrate: boolean }) {
    this.#source = source
    this.#name = nameOf(source)
    this.#migrates = migrate
  }

  /** Runs reads on one snapshot, again while the database is locked. */
  read<T>(work: () => Work<T>, call?: StorageCall): Promise<T> {
    return this.#faulty(async () => {
      const { connection, attemptRead } = await this.#open(call)
      return this.#reads.run(() => attemptRead(() => connection.read(work)), call)
    })
  }

  /** Runs a change as one transaction, after all earlier changes. */
  change<T>(work: () => Work<T>, call?: StorageCall): Promise<T> {
    return this.#changed(async () => {
      const { connection, attempt } = await this.#open(call)
      const run = () => atOnce(work(), (statement) => connection.run(statement))
      return this.#changes.run(() => attempt(() => connection.change(run)), call)
    })
  }

  /** Stores steps in one transaction. */
  write(writes: readonly WorkspaceWrite[], call?: StorageCall): Promise<readonly WriteOutcome[]> {
    return this.#changed(async () => {
      const { connection, attempt } = await this.#open(call)
      const store = () =>
        connection.change(() => writes.map((write) => outcomeOf(connection, write)))
      return this.#changes.run(() => attempt(store), call)
    })
  }

  /** Rewrites the file and empties its log, so that neither holds anything that was deleted. */
  compact(call?: StorageCall): Promise<void> {
    return this.#faulty(async () => {
      const { connection, attempt } = await this.#open(call)
      for (const step of [rewriteFile, emptyLog]) {
        await this.#compactions.run(() => attempt(() => step(connection.database)), call)
      }
    })
  }

  /** Brings the schema up to date, whatever the options say. */
  migrate(call?: StorageCall): Promise<void> {
    return this.inspect((database) => migrateSchema(database, this.#name), call)
  }

  /** Runs work on the database as it is, with tables or without. */
  inspect<T>(work: (database: SqliteDatabase) => T, call?: StorageCall): Promise<T> {
    return this.#faulty(async () => {
      if (this.#closed) throw closedError()
      const database = await this.#connect(call)
      const attempt = this.#attemptOn(database)
      return this.#reads.run(() => attempt(() => work(database)), call)
    })
  }

  /** Waits for the changes under way, then closes the database if this session opened it. */
  async close(): Promise<void> {
    this.#closed = true
    this.ready = null
    await this.#opening?.catch(() => undefined)
    await Promise.allSettled(this.#changesUnderWay)
    const database = await this.#connecting?.catch(() => undefined)
    // Some drivers release the file only when no statement is left, so none is kept.
    this.#connecting = null
    this.#opening = null
    database?.close()
  }

  async #faulty<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      throw faultOf(error, this.#name)
    }
  }

  #changed<T>(work: () => Promise<T>): Promise<T> {
    const change = this.#faulty(work)
    this.#changesUnderWay.add(change)
    const end = () => this.#changesUnderWay.delete(change)
    change.then(end, end)
    return change
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
    const bringUp = this.#migrates ? migrateSchema : checkSchema
    await this.#reads.run(() => attempt(() => bringUp(database, this.#name)), call)
    const attemptRead = isInWalMode(database) ? unchanged : attempt
    const opened = { connection: new Connection(database), attempt, attemptRead }
    if (!this.#closed) this.ready = opened
    return opened
  }

  /** A connection that the session has opened never waits; that of a host may. */
  #attemptOn(database: SqliteDatabase): Attempt {
    return typeof this.#source === 'string' ? unchanged : withoutBlocking(database)
  }

  async #connect(call?: StorageCall): Promise<SqliteDatabase> {
    const source = this.#source
    if (typeof source !== 'string') {
      checkVersion(source)
      return source
    }
    this.#connecting ??= this.#openFile(source, call).catch((error: unknown) => {
      this.#connecting = null
      throw error
    })
    return await this.#connecting
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

/** What a session works with once its database is open. */
interface Opened {
  readonly connection: Connection
  readonly attempt: Attempt
  readonly attemptRead: Attempt
}

const unchanged: Attempt = (work) => work()

/** Stores a step, or leaves the others of its transaction as they are. */
function outcomeOf(connection: Connection, write: WorkspaceWrite): WriteOutcome {
  connection.prepared('SAVEPOINT miftah_step').run()
  let outcome: WriteOutcome['outcome'] = 'stored'
  try {
    for (const statement of writeStatements(write)) connection.run(statement)
  } catch (error) {
    if (!isRefusal(error)) throw error
    outcome = 'refused'
    connection.prepared('ROLLBACK TO miftah_step').run()
  }
  connection.prepared('RELEASE miftah_step').run()
  return { outcome }
}

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
