import { postgresStorage } from '../../../adapters/storage/postgres.ts'
import { testDatabase } from '../../support/postgres-database.ts'
import { startPostgres } from '../../support/postgres-server.ts'
import { DAILY_DAYS, HOURLY_DAYS, type YearWorld } from './measure.ts'

/** A year in PostgreSQL. */
export async function postgresYear(): Promise<YearWorld> {
  const server = await startPostgres()
  const database = await testDatabase(server)
  const pool = database.pool()
  const storage = postgresStorage(pool)
  await storage.migrate()
  return {
    name: 'PostgreSQL',
    storage,
    fill: async (today) => {
      const rows = (first: number, end: number) => `
        SELECT 100, at, 0, u.id FROM generate_series(${first}, ${end - 1}) AS at, miftah.usage u
        ORDER BY at, u.id ON CONFLICT DO NOTHING`
      const firstDay = today - HOURLY_DAYS
      await pool.query(`INSERT INTO miftah.usage_hours ${rows(firstDay * 24, today * 24)}`)
      await pool.query(`INSERT INTO miftah.usage_days ${rows(today - DAILY_DAYS, today)}`)
      await pool.query(`UPDATE miftah.usage_retention SET first_hour = ${firstDay * 24}`)
      await pool.query('VACUUM ANALYZE')
    },
    sizeOf: async (table) => {
      const { rows } = await pool.query(
        `SELECT pg_total_relation_size('miftah.usage_${table}') AS bytes`,
      )
      return Number(rows[0].bytes)
    },
    close: async () => {
      await database.close()
      await server.dispose()
    },
  }
}
