import { hash } from 'node:crypto'
import {
  DatabaseSync,
  type DatabaseSyncInstance,
  type StatementSyncInstance,
} from '@photostructure/sqlite'

/** One prepared SELECT by hash on miftah's own table, and the scope. It writes nothing. */
export class SqliteFloor {
  readonly #find: StatementSyncInstance
  /** Kept: a database that nothing refers to is closed. */
  readonly #database: DatabaseSyncInstance

  constructor(path: string) {
    this.#database = new DatabaseSync(path)
    this.#find = this.#database.prepare(
      `SELECT id, workspace_id, name, scopes, revoked_at_ms
       FROM miftah_keys WHERE hash = ?`,
    )
  }

  async authenticate(header: string, scope: string): Promise<boolean> {
    if (!header.startsWith('Bearer ')) return false
    const row = this.#find.get(hash('sha256', header.slice(7), 'buffer'))
    if (row === undefined || row['revoked_at_ms'] !== null) return false
    const scopes: unknown = JSON.parse(String(row['scopes']))
    return Array.isArray(scopes) && scopes.includes(scope)
  }
}
