import pg from 'pg'
import {
  filesIn,
  holdsHashes,
  isCanaryRun,
  keepHashes,
  keepPlace,
  type Rows,
  searchFiles,
} from './keep.ts'

type Query = (text: string) => Promise<Rows>

interface Server {
  readonly data: string
  readonly url: (database: string) => string
  readonly start: () => Promise<void>
  readonly stop: () => Promise<void>
  readonly log: () => Promise<string>
}

/** Keeps every table of every database of a server and its log, and searches all its files. */
export async function keepPostgres({ data, url, start, stop, log }: Server): Promise<void> {
  if (!isCanaryRun) return
  await start()
  const names = 'SELECT datname AS name FROM pg_database WHERE datallowconn AND NOT datistemplate'
  for (const { name } of await withClient(url('postgres'), (query) => query(names))) {
    const database = String(name)
    await withClient(url(database), (query) => keepTables(database, query))
  }
  await stop()
  keepPlace('logs', `server.log of ${data}`, await log())
  searchFiles(filesIn(data))
}

const TABLES = `
SELECT n.nspname AS schema, c.relname AS name,
  ARRAY(SELECT a.attname::text FROM pg_attribute a
    WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    ORDER BY a.attnum) AS columns
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'm') AND n.nspname <> 'information_schema'
  AND n.nspname NOT LIKE 'pg\\_%'`

/** Keeps all rows of all tables of one database. */
export async function keepTables(database: string, query: Query): Promise<void> {
  if (!isCanaryRun) return
  for (const { schema, name, columns } of await query(TABLES)) {
    const table = `"${schema}"."${name}"`
    const rows = await query(`SELECT ${shown(name, columns as string[])} FROM ${table}`)
    keepPlace('tables', `${database}.${table}`, rows.map(({ row }) => String(row)).join('\n'))
    keepHashes(rows.flatMap(({ hash }) => (hash ? [String(hash)] : [])))
  }
}

/** A row as text, and beside it the hash that belongs there. */
function shown(table: unknown, columns: readonly string[]): string {
  const isKept = (column: string) => column === 'hash' && holdsHashes(table)
  const others = columns.filter((column) => !isKept(column)).map((column) => `"${column}"`)
  const hash = columns.some(isKept) ? ", encode(hash, 'hex') AS hash" : ''
  return `row(${others.join(', ')})::text AS row${hash}`
}

async function withClient<T>(url: string, use: (query: Query) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await use(async (text) => (await client.query(text)).rows)
  } finally {
    await client.end()
  }
}
