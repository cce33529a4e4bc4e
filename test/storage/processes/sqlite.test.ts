import { fileURLToPath } from 'node:url'
import { testKilledJobs, testRaces } from '../../support/processes.ts'

const MODULE = fileURLToPath(
  new URL('../../programs/reliability/sqlite-module.ts', import.meta.url),
)

testRaces(MODULE, { revocations: 4, pauses: 2, updates: 3, kills: 4 })
testKilledJobs(MODULE, { erasures: 1, relayedEvents: 10 })
