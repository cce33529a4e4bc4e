import { storagesInSchemas } from '../../support/postgres/schemas.ts'
import { modelTest } from './model-test.ts'

modelTest('PostgreSQL', storagesInSchemas(), { numRuns: 20 })
