import type pg from 'pg'

/** Saves the state of the log of changes, and returns a function that restores it. */
export async function savedLog(pool: pg.Pool, schema: string): Promise<() => Promise<void>> {
  const tables = ['clock', 'log', 'nodes'].map((table) => `${schema}.miftah_${table}`)
  for (const table of tables) await pool.query(`CREATE TABLE ${table}_saved AS TABLE ${table}`)
  const sql = tables.map(
    (table) => `DELETE FROM ${table};
    INSERT INTO ${table} TABLE ${table}_saved;`,
  )
  return async () => {
    await pool.query(sql.join(''))
  }
}
