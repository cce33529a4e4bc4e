import { access } from 'node:fs/promises'
import { onMysql } from '../storage/lib/copy/mysql.ts'
import { type ConnectingPool, onPostgres } from '../storage/lib/copy/postgres.ts'
import { onSqlite } from '../storage/lib/copy/sqlite.ts'
import type { OnSide } from '../storage/lib/copy/tables.ts'
import { type MysqlStorage, mysqlStorage } from '../storage/mysql.ts'
import { type PostgresStorage, postgresStorage } from '../storage/postgres.ts'
import { type SqliteStorage, sqliteStorage } from '../storage/sqlite.ts'
import type { Command } from './command.ts'
import type { OptionValues } from './command-line.ts'
import { UsageError } from './usage-error.ts'

/** A storage that a command works on, and how to close it. */
export interface Database {
  readonly storage: PostgresStorage | MysqlStorage | SqliteStorage
  /** How `copy` reads and writes it, without the storage. */
  readonly onSide: OnSide
  close(): Promise<void>
}

type DatabaseOptions = Pick<OptionValues, 'database' | 'schema'>

/** The option of PostgreSQL, where it was given. */
export function namingOf({ schema }: DatabaseOptions) {
  return schema === undefined ? {} : { schema }
}

/** The value of `--database`, or else of `DATABASE_URL`; empty where neither is given. */
export function addressOf(options: DatabaseOptions): string {
  return options.database ?? process.env['DATABASE_URL'] ?? ''
}

/** Whether an address is a connection string of PostgreSQL, and not the path of a SQLite file. */
export function isPostgres(address: string): boolean {
  return /^postgres(?:ql)?:/i.test(address)
}

/** Whether an address is a connection string of MySQL or MariaDB. */
export function isMysql(address: string): boolean {
  return /^(?:mysql|mariadb):/i.test(address)
}

/**
 * Opens the database of `--database`, or else of `DATABASE_URL`: a connection string of PostgreSQL or of
 * MySQL, or the path of a SQLite file, which must exist unless `mayCreate`. It is not migrated by being
 * opened.
 */
export async function openDatabase(
  options: DatabaseOptions,
  { mayCreate = false, connections = 2 }: Pick<Command, 'mayCreate' | 'connections'>,
  source = options.database ? '--database' : 'DATABASE_URL',
) {
  const database = addressOf(options)
  if (database === '') {
    throw new UsageError('No database: give --database or set DATABASE_URL.')
  }
  if (isPostgres(database)) return openPostgres(database, connections, options)
  checkNames(options)
  if (isMysql(database)) return openMysql(database, connections)
  checkSqlite(database, source)
  if (!mayCreate) await checkFile(database, source)
  return openSqlite(database)
}

/** One letter before the colon is a drive of Windows. */
function checkSqlite(database: string, source: string): void {
  const [scheme] = /^(?!file:)[a-z][a-z\d+.-]+:/i.exec(database) ?? []
  if (scheme !== undefined) {
    const known = 'it must be a postgres: or mysql: URL, or the path of a SQLite file'
    throw new UsageError(`${source} is a ${scheme} URL; ${known}.`)
  }
}

function checkNames(options: DatabaseOptions): void {
  if (options.schema !== undefined) throw new UsageError('--schema is for PostgreSQL only.')
}

/** SQLite would create a missing file. The message quotes no path: it may be a mistyped URL with a password. */
async function checkFile(database: string, source: string): Promise<void> {
  try {
    await access(pathOf(database))
  } catch {
    const advice = '`miftah migrate` creates one.'
    throw new UsageError(`${source} is not the path of an existing SQLite file; ${advice}`)
  }
}

/** SQLite takes `file:` URIs too. */
function pathOf(database: string): string {
  const uri = /^file:(?:\/\/[^/]*)?([^?#]*)/.exec(database)
  return uri?.[1] === undefined ? database : decodeURIComponent(uri[1])
}

async function openPostgres(url: string, max: number, options: DatabaseOptions): Promise<Database> {
  const { Pool } = await importPackage<Pg>('pg', 'PostgreSQL needs the package pg')
  const pool = new Pool({ connectionString: url, max, connectionTimeoutMillis: 5_000 })
  // Without a listener, an idle connection that breaks ends the process.
  pool.on('error', () => {})
  return {
    storage: storageOn(pool, options),
    onSide: onPostgres(pool, options.schema),
    close: () => pool.end(),
  }
}

/** A bad name is a bad command line. */
function storageOn(pool: Parameters<typeof postgresStorage>[0], options: DatabaseOptions) {
  try {
    return postgresStorage(pool, { ...namingOf(options), migrate: false })
  } catch (error) {
    throw new UsageError(Object(error).message)
  }
}

function openSqlite(file: string): Database {
  const storage = sqliteStorage(file, { migrate: false })
  return { storage, onSide: onSqlite(file), close: () => storage.close() }
}

async function openMysql(url: string, connections: number): Promise<Database> {
  const { createPool } = await importPackage<Mysql>(
    'mysql2/promise',
    'MySQL needs the package mysql2',
  )
  const uri = url.replace(/^mariadb:/i, 'mysql:')
  const pool = createPool({ uri, connectionLimit: connections, connectTimeout: 5_000 })
  const storage = mysqlStorage(pool, { migrate: false })
  return { storage, onSide: onMysql(pool), close: () => pool.end() }
}

/** What is used of `mysql2/promise`, which the application has installed. */
interface Mysql {
  readonly createPool: (options: {
    uri: string
    connectionLimit: number
    connectTimeout: number
  }) => Parameters<typeof mysqlStorage>[0] & { end(): Promise<void> }
}

/** What is used of `pg`, which the application has installed. */
interface Pg {
  readonly Pool: new (options: {
    connectionString: string
    max: number
    connectionTimeoutMillis: number
  }) => Parameters<typeof postgresStorage>[0] & {
    connect: ConnectingPool['connect']
    on(event: 'error', listener: () => void): void
    end(): Promise<void>
  }
}

/** `needed` says what needs it. */
async function importPackage<T>(name: string, needed: string): Promise<T> {
  try {
    const module = await import(name)
    return module.default ?? module
  } catch {
    throw new UsageError(`${needed}: run \`npm install ${name.split('/')[0]}\`.`)
  }
}
