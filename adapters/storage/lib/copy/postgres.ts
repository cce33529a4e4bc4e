import { namesOf, type PostgresNaming } from '../postgres/names.ts'
import { rowFrom, type SqlRow, textIn } from '../row.ts'
import { type Cells, JSON_COLUMNS, type Names, type Select, type Tables } from './tables.ts'

/** A connection of a pool of `pg`. */
interface Client {
  query(text: string, values?: unknown[]): Promise<{ readonly rows: readonly unknown[] }>
  release(isBroken?: boolean): void
}

/** What is used of a pool of `pg`. */
export interface ConnectingPool {
  connect(): Promise<Client>
}

/** The tables in a database of PostgreSQL. */
export function postgresTables(pool: ConnectingPool, naming: PostgresNaming): Tables {
  const { at } = namesOf(naming)
  const names: Names = {
    ...{ at, workspaces: at('workspaces'), ofWorkspace: { changes: 0 } },
    ...{ place: 'seq', usageId: 'id', noticeId: 'id' },
    ...{ history: ['id', 'id'], outbox: ['event_id', 'id'] },
    hex: (column) => `encode(${column}, 'hex')`,
    json: (column) => `to_jsonb(${column})::text`,
  }
  return {
    names,
    rows: (sql, values) => onClient(pool, async (client) => all(client, numbered(sql), values)),
    pages: (select, size) => pagesOf(pool, select, size),
    change: (work) =>
      onClient(pool, async (client) => {
        await client.query('BEGIN')
        const triggers = await all(client, TRIGGERS, [[...TABLES].map(at)])
        await set(client, triggers, 'off')
        await work({
          run: (sql, values = []) => client.query(numbered(sql), [...values]),
          insert: (table, rows) => client.query(insertInto(table, rows), [jsonOf(rows)]),
        })
        await set(client, triggers, 'on')
        // A cache that follows the target drops what it knows: it is too far behind.
        await client.query(`UPDATE ${at('change_clock')} SET head = head + 1001 WHERE is_used`)
        await client.query('COMMIT')
      }),
    finish: (place) => [
      `UPDATE ${at('workspaces')} AS w SET changes = GREATEST(w.changes, ${place}),
        keys_without_end = (SELECT count(*) FROM ${at('keys')} k
          WHERE k.workspace_id = w.workspace_id AND k.revoked_at_ms IS NULL
            AND k.retires_at_ms IS NULL AND k.expires_at_ms IS NULL)`,
    ],
  }
}

async function all(
  client: Client,
  sql: string,
  values: readonly unknown[],
): Promise<readonly SqlRow[]> {
  return (await client.query(sql, [...values])).rows.map(rowFrom)
}

async function onClient<T>(pool: ConnectingPool, work: (client: Client) => Promise<T>): Promise<T> {
  const client = await pool.connect()
  try {
    const result = await work(client)
    client.release()
    return result
  } catch (error) {
    client.release(true)
    throw error
  }
}

/** No index has the order of all rows, so the server sorts once and is read from in pages. */
async function* pagesOf(pool: ConnectingPool, { sql, order, workspaceId }: Select, size: number) {
  const client = await pool.connect()
  try {
    await client.query('BEGIN READ ONLY')
    const sorted = `${sql} ORDER BY ${workspaceId}, ${order}`
    await client.query(`DECLARE miftah_rows NO SCROLL CURSOR FOR ${sorted}`)
    for (;;) {
      const page = await all(client, `FETCH ${size} FROM miftah_rows`, [])
      if (page.length === 0) break
      yield page
    }
    await client.query('COMMIT')
  } finally {
    // After an error or an early end the transaction is still open.
    client.release(true)
  }
}

const TABLES = ['keys', 'usage', 'workspaces', 'events', 'outbox', 'notices', 'purged']

const TRIGGERS = `SELECT tgrelid::regclass::text AS target, quote_ident(tgname) AS name,
    CASE tgenabled WHEN 'A' THEN 'ENABLE ALWAYS' WHEN 'R' THEN 'ENABLE REPLICA' ELSE 'ENABLE' END AS state
  FROM pg_catalog.pg_trigger
  WHERE NOT tgisinternal AND tgenabled <> 'D' AND tgrelid = ANY ($1::regclass[])`

/** In one message: there are many of them. */
async function set(client: Client, triggers: readonly SqlRow[], to: 'on' | 'off'): Promise<void> {
  const changes = triggers.map((row) => {
    const state = to === 'on' ? textIn(row, 'state') : 'DISABLE'
    return `ALTER TABLE ${textIn(row, 'target')} ${state} TRIGGER ${textIn(row, 'name')}`
  })
  await client.query(changes.join('; '))
}

function numbered(sql: string): string {
  let number = 0
  return sql.replaceAll('?', () => `$${++number}`)
}

function insertInto(table: string, rows: readonly Cells[]): string {
  const columns = Object.keys(rows[0] ?? {}).join(', ')
  return `INSERT INTO ${table} (${columns})
    SELECT ${columns} FROM jsonb_populate_recordset(NULL::${table}, $1::jsonb)`
}

function jsonOf(rows: readonly Cells[]): string {
  return JSON.stringify(
    rows.map((row) =>
      Object.fromEntries(Object.entries(row).map(([name, cell]) => [name, jsonValue(name, cell)])),
    ),
  )
}

function jsonValue(name: string, cell: unknown): unknown {
  if (name === 'hash') return `\\x${cell}`
  if (name === 'is_erased') return cell === 1
  return JSON_COLUMNS.has(name) ? JSON.parse(String(cell)) : cell
}
