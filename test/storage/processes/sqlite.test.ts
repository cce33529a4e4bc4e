import { fileURLToPath } from 'node:url'
import { testFirstRaces } from '../../support/processes.ts'

testFirstRaces(
  fileURLToPath(new URL('../../programs/reliability/sqlite-module.ts', import.meta.url)),
)
