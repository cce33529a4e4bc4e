import { postgresStorage } from '../../../adapters/storage/postgres.ts'
import { caseSchemas } from '../../support/postgres/case-schemas.ts'
import { databaseForFile } from '../../support/postgres/own-database.ts'
import { modelTest } from './model-test.ts'

const db = databaseForFile()
const nextSchema = caseSchemas(() => db.pool, 'cases')

modelTest('PostgreSQL', async () => postgresStorage(db.pool, { schema: await nextSchema() }), {
  numRuns: 20,
})
