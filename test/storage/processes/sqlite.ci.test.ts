import { fileURLToPath } from 'node:url'
import { testKilledJobs, testRaces } from '../../support/processes.ts'
import { runs } from '../../support/runs.ts'

const MODULE = fileURLToPath(
  new URL('../../programs/reliability/sqlite-module.ts', import.meta.url),
)

testRaces(MODULE, { revocations: runs(20), pauses: runs(12), updates: runs(15), kills: runs(4) })
testKilledJobs(MODULE, { erasures: 3, relayedEvents: runs(60) })
