import type { Pool, ResultSetHeader, RowDataPacket } from 'mysql2/promise'
import { coalesced, type Find, type FloorRow, type FloorTable } from './sql-floor.ts'

const COLUMNS = 'hash, id, workspace_id, name, scopes, revoked_at, uses, last_used_at'

/** A floor's own table, with the columns that a check needs, filled from that of miftah. */
export const floorTable = (name: string) => `CREATE TABLE ${name} (
  hash BINARY(32) PRIMARY KEY, id VARCHAR(64) NOT NULL UNIQUE, workspace_id VARCHAR(64) NOT NULL,
  name VARCHAR(120) NOT NULL, scopes JSON NOT NULL, revoked_at DATETIME, uses BIGINT NOT NULL DEFAULT 0,
  last_used_at DATETIME) ENGINE=InnoDB
  SELECT hash, CONVERT(id USING utf8mb4) AS id, CONVERT(workspace_id USING utf8mb4) AS workspace_id,
    name, scopes, 0 AS uses FROM miftah_keys`

/** A table in MySQL. */
export function mysqlTable(pool: Pool, name: string, find: 'one' | 'many'): FloorTable {
  return {
    find: find === 'one' ? selectOne(pool, name) : selectMany(pool, name),
    add: (uses) => {
      const rows = [...uses].map(([id, count]) => `SELECT '${id}' AS id, ${count} AS uses`)
      return pool.query<ResultSetHeader>(`UPDATE ${name} AS k
        JOIN (${rows.join(' UNION ALL ')}) AS u ON u.id = k.id
        SET k.uses = k.uses + u.uses, k.last_used_at = NOW()`)
    },
    uses: async () => {
      const [rows] = await pool.query<RowDataPacket[]>(`SELECT SUM(uses) AS uses FROM ${name}`)
      return Number(rows[0]?.['uses'])
    },
  }
}

/** One prepared SELECT for each call. */
function selectOne(pool: Pool, table: string): Find {
  const text = `SELECT ${COLUMNS} FROM ${table} WHERE hash = ?`
  return async (digest) => rowsIn(await pool.execute<RowDataPacket[]>(text, [digest]))[0]
}

/** The calls of one turn in one SELECT. */
function selectMany(pool: Pool, table: string): Find {
  return coalesced(async (digests) => {
    const text = `SELECT ${COLUMNS} FROM ${table} WHERE hash IN (?)`
    return rowsIn(await pool.query<RowDataPacket[]>(text, [digests]))
  })
}

/** MariaDB keeps JSON as text. */
function rowsIn([rows]: [RowDataPacket[], unknown]): readonly FloorRow[] {
  return rows.map((row) => {
    const scopes = row['scopes']
    return { ...row, scopes: typeof scopes === 'string' ? JSON.parse(scopes) : scopes } as FloorRow
  })
}
