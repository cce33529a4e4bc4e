import { mysqlStorage } from 'miftah/mysql'
import mysql from 'mysql2/promise'
import { createPlace } from '../reliability/mysql-module.ts'
import { apiKeys } from './keys.ts'
import type { Bench, Table } from './measure.ts'
import { contest, MANY, ONE, rateTables } from './sql.ts'
import type { FloorRow, FloorTable } from './sql-floor.ts'

/** Checks on the server that MIFTAH_TEST_MYSQL_URL names. */
export async function section(bench: Bench): Promise<readonly Table[]> {
  const place = await createPlace()
  const pools = [0, 1, 2].map(() =>
    mysql.createPool({ uri: place.target, connectionLimit: 10 }),
  ) as [mysql.Pool, mysql.Pool, mysql.Pool]
  try {
    const keys = apiKeys(mysqlStorage(pools[0]))
    const tables = [floorTable(pools[1], 'one'), floorTable(pools[2], 'many')] as const
    const found = await contest(bench, { keys, tables })
    await keys.close()
    return rateTables('MariaDB', found, [ONE, MANY])
  } finally {
    await Promise.all(pools.map((pool) => pool.end()))
    await place.remove()
  }
}

function floorTable(pool: mysql.Pool, name: string): FloorTable {
  const table = `floor_${name}`
  return {
    fill: async (rows) => {
      await pool.query(`CREATE TABLE ${table} (hash BINARY(32) PRIMARY KEY, id INT NOT NULL UNIQUE,
        scopes JSON NOT NULL, revoked_at DATETIME, uses BIGINT NOT NULL DEFAULT 0,
        last_used_at DATETIME) ENGINE=InnoDB`)
      const values = rows.map(({ hash, id, scopes }) => [hash, id, JSON.stringify(scopes)])
      await pool.query(`INSERT INTO ${table} (hash, id, scopes) VALUES ?`, [values])
    },
    find: async (hashes) => {
      const text = `SELECT hash, id, scopes, revoked_at FROM ${table} WHERE hash`
      const [rows] =
        hashes.length === 1
          ? await pool.execute<mysql.RowDataPacket[]>(`${text} = ?`, [hashes[0] ?? null])
          : await pool.query<mysql.RowDataPacket[]>(`${text} IN (?)`, [hashes])
      // MariaDB keeps JSON as text.
      return rows.map((row) => {
        const { scopes } = row as { scopes: unknown }
        return { ...row, scopes: typeof scopes === 'string' ? JSON.parse(scopes) : scopes }
      }) as FloorRow[]
    },
    add: (uses) => {
      const rows = [...uses].map(([id, count]) => `SELECT ${id} AS id, ${count} AS uses`)
      return pool.query(`UPDATE ${table} AS k JOIN (${rows.join(' UNION ALL ')}) AS u ON u.id = k.id
        SET k.uses = k.uses + u.uses, k.last_used_at = NOW()`)
    },
    uses: async () => {
      const [rows] = await pool.query<mysql.RowDataPacket[]>(
        `SELECT SUM(uses) AS uses FROM ${table}`,
      )
      return Number(rows[0]?.['uses'])
    },
  }
}
