import { copied, firstLineOf } from '../driver-error.ts'
import type { SqlValue } from '../sql/sql.ts'
import { StorageError } from '../storage-error.ts'

/** What the storage binds to a statement. */
export type SqliteValue = SqlValue

/** A prepared statement, as node:sqlite and its look-alikes have it. */
export interface SqliteStatement {
  /** The first row as an object by column names, or nothing (`undefined` or `null`). */
  get(...values: SqliteValue[]): unknown
  /** All rows. */
  all(...values: SqliteValue[]): unknown[]
  /** Runs the statement for its effect. */
  run(...values: SqliteValue[]): {
    /** How many rows it has inserted, updated or deleted. */
    readonly changes: number | bigint
  }
}

/**
 * The few methods of a driver that are called: `DatabaseSync` of node:sqlite and of
 * @photostructure/sqlite have them, and so do better-sqlite3 and bun:sqlite.
 */
export interface SqliteDatabase {
  /** Runs SQL of one or more statements without values. */
  exec(sql: string): unknown
  /** Prepares one statement with `?` for its values. */
  prepare(sql: string): SqliteStatement
  /** Called only for a database that the storage has opened itself. */
  close(): unknown
}

type DatabaseConstructor = new (path: string) => SqliteDatabase

/**
 * Opens the file with the runtime's own driver, or else with `@photostructure/sqlite`. Throws
 * `StorageError`: `driver_missing` when there is neither, `unavailable` when the file cannot be opened.
 */
export async function openDatabase(path: string): Promise<SqliteDatabase> {
  const Database = nodeDriver() ?? (await bunDriver()) ?? (await peerDriver())
  try {
    return new Database(path)
  } catch (error) {
    // Drivers do not name the path.
    const message = `SQLite cannot open ${nameOf(path)} (${Object(error).message})`
    const mend = 'create its folder, and let this process read and write both'
    throw new StorageError('unavailable', `${message}: ${mend}`)
  }
}

/** What a database is called in messages. What stands before an `@` may be the password of a mistyped URL. */
export function nameOf(source: string | SqliteDatabase): string {
  return typeof source === 'string' ? `the file ${source.replace(/^.*@/s, '…@')}` : 'the database'
}

/** Throws `StorageError` (`driver_missing`) for a SQLite that does not know what the statements need. */
export function checkVersion(database: SqliteDatabase): void {
  const { version } = Object(database.prepare('SELECT sqlite_version() AS version').get())
  const [major = 0, minor = 0] = String(version).split('.').map(Number)
  if (major > 3 || (major === 3 && minor >= 42)) return
  throw new StorageError('driver_missing', `SQLite 3.42 or later is needed, and this is ${version}`)
}

const CODES = { BUSY: 5, READONLY: 8, FULL: 13, CONSTRAINT: 19 }

/** Whether an error is of a kind: the low byte of an extended result code is its primary code. */
export function isOf(kind: keyof typeof CODES, error: unknown): boolean {
  const { errcode, code, message } = Object(error)
  // @photostructure/sqlite gives no number when a statement that reads all rows fails.
  if (kind === 'BUSY' && message === 'database is locked') return true
  if (typeof errcode === 'number') return (errcode & 0xff) === CODES[kind]
  return typeof code === 'string' && code.startsWith(`SQLITE_${kind}`)
}

/**
 * What a call rejects with for what a driver has thrown, with nothing stored. `name` is what the database is
 * called. SQLite's own messages name tables, columns and constraints, never what is in them.
 */
export function faultOf(error: unknown, name: string): unknown {
  if (error instanceof StorageError || error instanceof TypeError) return error
  const words = firstLineOf(error)
  const cause = copied(error, words, ['code', 'errcode'])
  if (isOf('BUSY', error)) {
    return new StorageError('busy', `${name} was locked by another connection: ${words}`, { cause })
  }
  if (isOf('CONSTRAINT', error)) {
    return new StorageError('unstorable_value', `${name} refused a value: ${words}`, { cause })
  }
  return new StorageError('unavailable', `${name} cannot be used: ${words}`, { cause })
}

function nodeDriver(): DatabaseConstructor | null {
  // node:sqlite is older than getBuiltinModule's types of Node 20 know, and absent from Node 20.
  const runtime: { readonly getBuiltinModule?: (id: string) => unknown } | undefined =
    globalThis.process
  return constructorIn(runtime?.getBuiltinModule?.('node:sqlite'), 'DatabaseSync')
}

async function bunDriver(): Promise<DatabaseConstructor | null> {
  if (!('Bun' in globalThis)) return null
  // Not a literal, or bundlers for other runtimes try to resolve it.
  const name: string = 'bun:sqlite'
  return constructorIn(await import(name), 'Database')
}

async function peerDriver(): Promise<DatabaseConstructor> {
  let cause: unknown
  const module: unknown = await import('@photostructure/sqlite').catch((error: unknown) => {
    cause = error
  })
  const Database = constructorIn(module, 'DatabaseSync')
  if (Database) return Database
  const message =
    'no SQLite driver: this runtime has no node:sqlite. Install @photostructure/sqlite, or open ' +
    'the database with a driver of your own and pass it to sqliteStorage'
  throw new StorageError('driver_missing', message, { cause })
}

function constructorIn(module: unknown, name: string): DatabaseConstructor | null {
  if (typeof module !== 'object' || module === null) return null
  const found: unknown = Reflect.get(module, name)
  return typeof found === 'function' ? (found as DatabaseConstructor) : null
}
