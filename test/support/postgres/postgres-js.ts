import postgres from 'postgres'
import { afterEach } from 'vitest'
import type { PostgresPool } from '../../../adapters/storage/postgres.ts'

/** Returns a function that opens a pool of Postgres.js, as the storage takes it, until the test ends. */
export function postgresJsForFile(db: { readonly url: string }): () => PostgresPool {
  const opened: postgres.Sql[] = []
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((sql) => sql.end({ timeout: 1 })))
  })
  return () => {
    // Otherwise it waits for a second before it connects again.
    const sql = postgres(db.url, { max: 5, onnotice: () => {}, backoff: () => 0.01 })
    opened.push(sql)
    return { query: async (text, values) => ({ rows: await sql.unsafe(text, values) }) }
  }
}
