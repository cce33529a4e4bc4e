import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { mysqlStorage } from 'miftah/mysql'
import { postgresStorage } from 'miftah/postgres'
import { sqliteStorage } from 'miftah/sqlite'
import type { KeyStorage } from 'miftah/storage'
import mysql from 'mysql2/promise'
import { Pool } from 'pg'

/** Where the host keeps its keys. */
export interface HostStorage {
  readonly storage: KeyStorage
  /** For the banner; never with a password. */
  readonly place: string
  close(): Promise<void>
}

/** PostgreSQL or MySQL if `DATABASE_URL` is set, otherwise a SQLite file in `dataFolder`. */
export function openStorage(env: NodeJS.ProcessEnv): Promise<HostStorage> {
  const url = env['DATABASE_URL']
  if (url === undefined) return openSqlite(env['MIFTAH_DATA'] ?? '.data')
  return /^mysql:/i.test(url) ? openMysql(url) : openPostgres(url)
}

async function openMysql(url: string): Promise<HostStorage> {
  const pool = mysql.createPool(url)
  const storage = mysqlStorage(pool)
  await storage.migrate()
  const { hostname, pathname } = new URL(url)
  return { storage, place: `MySQL ${pathname.slice(1)} ${hostname}`, close: () => pool.end() }
}

async function openSqlite(folder: string): Promise<HostStorage> {
  await mkdir(folder, { recursive: true })
  const place = join(folder, 'keys.sqlite')
  const storage = sqliteStorage(place)
  await storage.migrate()
  return { storage, place, close: async () => storage.close() }
}

async function openPostgres(connectionString: string): Promise<HostStorage> {
  const pool = new Pool({ connectionString })
  // Without a listener an idle connection that breaks would end the process.
  pool.on('error', () => {})
  const storage = postgresStorage(pool)
  await storage.migrate()
  const { host, database } = pool.options
  return { storage, place: `PostgreSQL ${database ?? ''} ${host ?? ''}`, close: () => pool.end() }
}
