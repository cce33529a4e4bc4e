import { fileURLToPath } from 'node:url'
import { testProcesses } from '../../support/processes.ts'

const MODULE = fileURLToPath(
  new URL('../../programs/reliability/sqlite-module.ts', import.meta.url),
)

testProcesses(MODULE, {
  revocations: 50,
  pauses: 40,
  updates: 40,
  erasures: 3,
  kills: 12,
  relayedEvents: 150,
})
