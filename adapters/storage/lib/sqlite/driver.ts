import type { SqlValue } from '../sql/work.ts'
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
    throw cannotOpen(path, error)
  }
}

function cannotOpen(path: string, error: unknown): StorageError {
  const message =
    `SQLite cannot open the file ${shown(path)} (${Object(error).message}): create its folder, and ` +
    'let this process read and write both'
  return new StorageError('unavailable', message)
}

/** For a file that is no database; `null` for any other error. */
export function asNoDatabase(path: string, error: unknown): StorageError | null {
  if (!hasFailed(error, NOT_A_DATABASE)) return null
  const message = `the file ${shown(path)} is no SQLite database: check the path, or restore the file from a backup`
  return new StorageError('unavailable', message)
}

/** Drivers do not name the path. What stands before an `@` may be the password of a mistyped URL. */
function shown(path: string): string {
  return path.replace(/^.*@/s, '…@')
}

const BUSY = { number: 5, name: 'SQLITE_BUSY', text: 'database is locked' }
const CONSTRAINT = { number: 19, name: 'SQLITE_CONSTRAINT', text: 'constraint failed' }
const NOT_A_DATABASE = { number: 26, name: 'SQLITE_NOTADB', text: 'file is not a database' }

/** Whether the database is locked by another connection for the moment. */
export function isBusy(error: unknown): boolean {
  return hasFailed(error, BUSY)
}

function hasFailed(error: unknown, { number, name, text }: typeof BUSY): boolean {
  if (typeof error !== 'object' || error === null) return false
  const { errcode, code, message } = error as Partial<Record<string, unknown>>
  // The low byte of an extended result code is its primary code.
  if (typeof errcode === 'number') return (errcode & 0xff) === number
  // @photostructure/sqlite gives no number when a statement that reads all rows fails.
  if (code === 'ERR_SQLITE_ERROR') return message === text
  return typeof code === 'string' && code.startsWith(name)
}

/** Whether a constraint or a trigger refused the values of a statement. */
export function isConstraint(error: unknown): boolean {
  return hasFailed(error, CONSTRAINT)
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
  try {
    const module: unknown = await import('@photostructure/sqlite')
    const Database = constructorIn(module, 'DatabaseSync')
    if (Database) return Database
  } catch (cause) {
    throw driverMissing({ cause })
  }
  throw driverMissing()
}

function driverMissing(options?: ErrorOptions): StorageError {
  const message =
    'no SQLite driver: this runtime has no node:sqlite. Install @photostructure/sqlite, or open ' +
    'the database with a driver of your own and pass it to sqliteStorage'
  return new StorageError('driver_missing', message, options)
}

function constructorIn(module: unknown, name: string): DatabaseConstructor | null {
  if (typeof module !== 'object' || module === null) return null
  const found: unknown = Reflect.get(module, name)
  return typeof found === 'function' ? (found as DatabaseConstructor) : null
}
