import { fileURLToPath } from 'node:url'
import { testProcesses } from '../../support/processes.ts'

const MODULE = fileURLToPath(
  new URL('../../programs/reliability/postgres-module.ts', import.meta.url),
)

testProcesses(MODULE, {
  revocations: 50,
  pauses: 40,
  updates: 40,
  erasures: 3,
  kills: 8,
  relayedEvents: 60,
  freezes: 4,
})
