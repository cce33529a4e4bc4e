import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { sqliteStorage } from '../../../adapters/storage/sqlite.ts'
import { DAILY_DAYS, HOURLY_DAYS, type YearWorld } from './measure.ts'

/** A year in a SQLite file. */
export async function sqliteYear(): Promise<YearWorld> {
  const folder = await mkdtemp(join(tmpdir(), 'miftah-year-'))
  const path = join(folder, 'keys.db')
  const storage = sqliteStorage(path)
  await storage.migrate()
  return {
    name: 'SQLite',
    storage,
    fill: async (today) => {
      const database = new DatabaseSync(path)
      const rows = (first: number, end: number) => `WITH RECURSIVE p (at) AS (
        SELECT ${first} UNION ALL SELECT at + 1 FROM p WHERE at + 1 < ${end})
        SELECT at, position, 0, 100 FROM p CROSS JOIN miftah_keys WHERE true
        ON CONFLICT DO NOTHING`
      const firstDay = today - HOURLY_DAYS
      database.exec(`INSERT INTO miftah_usage_hours ${rows(firstDay * 24, today * 24)}`)
      database.exec(`INSERT INTO miftah_usage_days ${rows(today - DAILY_DAYS, today)}`)
      database.exec(`UPDATE miftah_usage_retention SET first_hour = ${firstDay * 24}`)
      database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
      database.close()
    },
    sizeOf: async (table) => {
      const database = new DatabaseSync(path)
      const [row] = database
        .prepare(`SELECT sum(pgsize) AS bytes FROM dbstat WHERE name LIKE 'miftah_usage_${table}%'`)
        .all() as { readonly bytes: number }[]
      database.close()
      return row?.bytes ?? Number.NaN
    },
    close: async () => {
      await storage.close()
      await rm(folder, { recursive: true })
    },
  }
}
