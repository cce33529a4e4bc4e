import { fileURLToPath } from 'node:url'
import { testProcesses } from '../../support/processes.ts'
import { runs } from '../../support/runs.ts'

const MODULE = fileURLToPath(
  new URL('../../programs/reliability/postgres-module.ts', import.meta.url),
)

testProcesses(MODULE, {
  revocations: runs(20),
  pauses: runs(12),
  updates: runs(15),
  erasures: 3,
  kills: runs(4),
  relayedEvents: runs(40),
  freezes: runs(2),
})
