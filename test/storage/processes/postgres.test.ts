import { fileURLToPath } from 'node:url'
import { testProcesses } from '../../support/processes.ts'

const MODULE = fileURLToPath(
  new URL('../../programs/reliability/postgres-module.ts', import.meta.url),
)

testProcesses(MODULE, {
  revocations: 4,
  pauses: 2,
  updates: 3,
  erasures: 1,
  kills: 1,
  relayedEvents: 20,
  freezes: 1,
})
