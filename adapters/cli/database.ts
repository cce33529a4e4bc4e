import { access } from 'node:fs/promises'
import { onMysql } from '../storage/lib/copy/mysql.ts'
import { type ConnectingPool, onPostgres } from '../storage/lib/copy/postgres.ts'
import { onSqlite } from '../storage/lib/copy/sqlite.ts'
import type { OnSide } from '../storage/lib/copy/tables.ts'
import { type MysqlStorage, mysqlStorage } from '../storage/mysql.ts'
import { type PostgresStorage, postgresStorage } from '../storage/postgres.ts'
import { type SqliteStorage, sqliteStorage } from '../storage/sqlite.ts'
import { type Command, given } from './command.ts'
import type { OptionValues } from './command-line.ts'
import { named, UsageError } from './errors.ts'

/** A storage that a command works on, and how to close it. */
export interface Database {
  readonly storage: PostgresStorage | MysqlStorage | SqliteStorage
  /** How `copy` reads and writes it, without the storage. */
  readonly onSide: OnSide
  close(): Promise<void>
}

type DatabaseOptions = Pick<OptionValues, 'database' | 'schema'>

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
  if (database === '') throw new UsageError('No database: give --database or set DATABASE_URL.')
  if (isPostgres(database)) return openPostgres(database, connections, options.schema)
  if (options.schema !== undefined) throw new UsageError('--schema is for PostgreSQL only.')
  if (isMysql(database)) return openMysql(database, connections)
  // One letter before the colon is a drive of Windows.
  const [scheme] = /^(?!file:)[a-z][a-z\d+.-]+:/i.exec(database) ?? []
  if (scheme !== undefined) {
    const known = 'it must be a postgres: or mysql: URL, or the path of a SQLite file'
    throw new UsageError(`${source} is a ${scheme} URL; ${known}.`)
  }
  // SQLite would create a missing file. The message quotes no path: it may be a mistyped URL with a password.
  if (!mayCreate) {
    await access(pathOf(database)).catch(() => {
      const advice = '`miftah migrate` creates one.'
      throw new UsageError(`${source} is not the path of an existing SQLite file; ${advice}`)
    })
  }
  return openSqlite(database)
}

/** SQLite takes `file:` URIs too. */
function pathOf(database: string): string {
  const uri = /^file:(?:\/\/[^/]*)?([^?#]*)/.exec(database)
  return uri?.[1] === undefined ? database : decodeURIComponent(uri[1])
}

async function openPostgres(url: string, max: number, schema?: string): Promise<Database> {
  const { Pool } = await importPackage<Pg>('pg', 'PostgreSQL')
  const pool = new Pool({ connectionString: url, max, connectionTimeoutMillis: 5_000 })
  // Without a listener, an idle connection that breaks ends the process.
  pool.on('error', () => {})
  const storage = named(() => postgresStorage(pool, { ...given({ schema }), migrate: false }))
  return { storage, onSide: onPostgres(pool, schema), close: () => pool.end() }
}

function openSqlite(file: string): Database {
  const storage = sqliteStorage(file, { migrate: false })
  return { storage, onSide: onSqlite(file), close: () => storage.close() }
}

async function openMysql(url: string, connections: number): Promise<Database> {
  const { createPool } = await importPackage<Mysql>('mysql2/promise', 'MySQL')
  const uri = url.replace(/^mariadb:/i, 'mysql:')
  const pool = createPool({ uri, connectionLimit: connections, connectTimeout: 5_000 })
  const storage = mysqlStorage(pool, { migrate: false })
  return { storage, onSide: onMysql(pool), close: () => pool.end() }
}

/** What is used of `mysql2/promise`, which the application has installed. */
interface Mysql {
  readonly createPool: (
    options: object,
  ) => Parameters<typeof mysqlStorage>[0] & { end(): Promise<void> }
}

/** What is used of `pg`, which the application has installed. */
interface Pg {
  readonly Pool: new (
    options: object,
  ) => Parameters<typeof postgresStorage>[0] & {
    connect: ConnectingPool['connect']
    on(event: 'error', listener: () => void): void
    end(): Promise<void>
  }
}

async function importPackage<T>(entry: string, system: string): Promise<T> {
  try {
    const module = await import(entry)
    return module.default ?? module
  } catch {
    const [name] = entry.split('/')
    throw new UsageError(`${system} needs the package ${name}: run \`npm install ${name}\`.`)
  }
}
