import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { postgresStorage } from 'miftah/postgres'
import { sqliteStorage } from 'miftah/sqlite'
import type { KeyStorage } from 'miftah/storage'
import { Pool } from 'pg'

/** Where the host keeps its keys. */
export interface HostStorage {
  readonly storage: KeyStorage
  /** For the banner; never with a password. */
  readonly place: string
  close(): Promise<void>
}

/** PostgreSQL if `DATABASE_URL` is set, otherwise a SQLite file in `dataFolder`. */
export function openStorage(env: NodeJS.ProcessEnv): Promise<HostStorage> {
  const url = env['DATABASE_URL']
  return url === undefined ? openSqlite(env['MIFTAH_DATA'] ?? '.data') : openPostgres(url)
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
