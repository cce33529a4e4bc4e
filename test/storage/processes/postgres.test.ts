import { fileURLToPath } from 'node:url'
import { testFirstRaces } from '../../support/processes.ts'

testFirstRaces(
  fileURLToPath(new URL('../../programs/reliability/postgres-module.ts', import.meta.url)),
)
