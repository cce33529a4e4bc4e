import { fileURLToPath } from 'node:url'
import { testRaces } from '../../support/processes.ts'

const MODULE = fileURLToPath(
  new URL('../../programs/reliability/postgres-module.ts', import.meta.url),
)

testRaces(MODULE, { revocations: 4, pauses: 2, updates: 3, kills: 4 })
