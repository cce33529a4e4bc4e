import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite'
import { onTestFinished } from 'vitest'
import {
  type SqliteDatabase,
  type SqliteStatement,
  type SqliteStorageOptions,
  sqliteStorage,
} from '../../adapters/storage/sqlite.ts'

/** The first keys of a workspace, uncounted. */
export const FIRST_PAGE = {
  ...{ status: null, environment: null, atMs: 0, after: null, limit: 5_000, countUpTo: null },
}

/** A path for a database that goes away with the test. */
export function freshPath(): string {
  const folder = mkdtempSync(join(tmpdir(), 'miftah-sqlite-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return join(folder, 'keys.db')
}

/** A database with its tables, which goes away with the test: a copy, for making them takes longer. */
export async function migratedPath(): Promise<string> {
  migrated ??= migratedFile()
  const path = freshPath()
  writeFileSync(path, await migrated)
  return path
}

let migrated: Promise<Uint8Array> | undefined

async function migratedFile(): Promise<Uint8Array> {
  const folder = mkdtempSync(join(tmpdir(), 'miftah-sqlite-'))
  const path = join(folder, 'keys.db')
  const storage = sqliteStorage(path)
  await storage.migrate()
  await storage.close()
  const database = new DatabaseSync(path)
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  database.close()
  const bytes = readFileSync(path)
  rmSync(folder, { recursive: true })
  return bytes
}

/** A storage on the path, closed with the test. */
export function storageAt(path: string, options: SqliteStorageOptions = {}) {
  const storage = sqliteStorage(path, options)
  onTestFinished(() => storage.close())
  return storage
}

/** A connection that knows nothing of the storage, as another program would have it. */
export function rawAt(path: string): DatabaseSyncInstance {
  const database = new DatabaseSync(path)
  onTestFinished(() => database.close())
  return database
}

/** A database without a file. */
export function inMemory(): DatabaseSyncInstance {
  return new DatabaseSync(':memory:')
}

/** The same database, whose statements are made by `prepare` from those of the driver. */
export function prepared(
  database: SqliteDatabase,
  prepare: (sql: string, statement: SqliteStatement) => SqliteStatement,
): SqliteDatabase {
  return {
    exec: (sql) => database.exec(sql),
    prepare: (sql) => prepare(sql, database.prepare(sql)),
    close: () => database.close(),
  }
}
