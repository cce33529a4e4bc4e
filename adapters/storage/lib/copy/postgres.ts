import { sqlStateOf } from '../postgres/errors.ts'
import { NOW_MS } from '../postgres/sql.ts'
import { objectIn, rowFrom } from '../sql/cells.ts'
import type { Cells } from '../sql/columns.ts'
import type { SqlValue } from '../sql/sql.ts'
import { JSON_COLUMNS, locked, type OnSide, type Side } from './tables.ts'

interface Client {
  query(text: string, values?: unknown[]): Promise<{ readonly rows: readonly unknown[] }>
  on(event: 'error', listener: () => void): unknown
  release(isBroken?: boolean): void
}

export interface ConnectingPool {
  connect(): Promise<Client>
}

/** The copy outlasts the limits of a session. */
const UNLIMITED =
  'SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0'

/** SQLSTATE lock_not_available. */
const LOCKED = '55P03'

export function onPostgres(pool: ConnectingPool, schema = 'miftah'): OnSide {
  return async (role, work) => {
    const client = await pool.connect()
    // Without a listener, a connection that breaks between two statements ends the process.
    client.on('error', () => {})
    let isBroken = true
    try {
      await client.query(`BEGIN ISOLATION LEVEL REPEATABLE READ; ${UNLIMITED}`)
      const lock = `LOCK TABLE "${schema}".miftah_workspaces IN EXCLUSIVE MODE NOWAIT`
      const isLocked = (error: unknown) => sqlStateOf(error) === LOCKED
      if (role === 'target') await locked(() => client.query(lock), isLocked)
      const answer = await work(sideOf(client, schema))
      await client.query('COMMIT')
      isBroken = false
      return answer
    } finally {
      // Whatever is not committed ends with its connection.
      client.release(isBroken)
    }
  }
}

function sideOf(client: Client, schema: string): Side {
  const at = (table: string) => `"${schema}".miftah_${table}`
  const run = (sql: string, values: readonly SqlValue[]) => client.query(numbered(sql), [...values])
  return {
    read: async (sql, values = []) => {
      const { rows } = await run(`SELECT row_to_json(r)::text AS cells FROM (${sql}) AS r`, values)
      return rows.map(cellsFrom)
    },
    insert: async (table, rows) => {
      const names = table.columns.join(', ')
      const json = [JSON.stringify(rows.map(jsonOf))]
      const source = (name: string) => `json_populate_recordset(NULL::${at(name)}, ?::json)`
      if (table.name === 'hourly_usage') {
        // The row of `usage` that a key has here with its first refusal.
        const keys = `SELECT DISTINCT key_id, 0 FROM ${source('hourly_usage')}`
        await run(`INSERT INTO ${at('usage')} (key_id, uses) ${keys} ON CONFLICT DO NOTHING`, json)
      }
      const into = `INSERT INTO ${at(table.name)} (${names}) OVERRIDING SYSTEM VALUE`
      return run(`${into} SELECT ${names} FROM ${source(table.name)}`, json)
    },
    endWith: (position) =>
      run(`SELECT setval(pg_get_serial_sequence('${at('events')}', 'position'), ?)`, [position]),
    at,
    hash: "encode(hash, 'hex')",
    where: (condition) => condition.replace(' = 1', ''),
    nowMs: NOW_MS,
    hasLog: true,
  }
}

function numbered(sql: string): string {
  let number = 0
  return sql.replaceAll('?', () => `$${++number}`)
}

function cellsFrom(row: unknown): Cells {
  const cells = Object.entries(objectIn(rowFrom(row), 'cells')).map(([name, cell]) => {
    if (JSON_COLUMNS.has(name)) return [name, JSON.stringify(cell)]
    return [name, typeof cell === 'boolean' ? Number(cell) : cell]
  })
  return Object.fromEntries(cells)
}

function jsonOf(row: Cells): Readonly<Record<string, unknown>> {
  const cells = Object.entries(row).map(([name, cell]) => {
    if (name === 'hash') return [name, `\\x${cell}`]
    return [name, JSON_COLUMNS.has(name) ? JSON.parse(String(cell)) : cell]
  })
  return Object.fromEntries(cells)
}
