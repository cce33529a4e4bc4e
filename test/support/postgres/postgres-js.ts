import postgres from 'postgres'
import { afterEach } from 'vitest'
import type { PostgresPool } from '../../../adapters/storage/postgres.ts'

/** Opens pools of Postgres.js for the running test, in the form that the storage takes. */
export function postgresJsForFile(db: { readonly url: string }): () => PostgresPool {
  const opened: postgres.Sql[] = []
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((sql) => sql.end()))
  })
  return () => {
    const sql = postgres(db.url, { max: 5, onnotice: () => {} })
    opened.push(sql)
    return { query: async (text, values) => ({ rows: await sql.unsafe(text, values) }) }
  }
}
