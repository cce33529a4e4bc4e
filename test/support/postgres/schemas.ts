import { type PostgresStorage, postgresStorage } from '../../../adapters/storage/postgres.ts'
import { caseSchemas } from './case-schemas.ts'
import { databaseForFile } from './own-database.ts'

/** Opens an empty storage for each case of a file. One pool serves them all. */
export function storagesInSchemas(): () => Promise<PostgresStorage> {
  const db = databaseForFile()
  const nextSchema = caseSchemas(() => db.pool, 'cases')
  return async () => postgresStorage(db.pool, { schema: await nextSchema() })
}
