import { fileURLToPath } from 'node:url'
import { testScenarios } from '../../support/processes.ts'

const MODULE = fileURLToPath(
  new URL('../../programs/reliability/sqlite-module.ts', import.meta.url),
)

// A process that is frozen with SQLite's one lock keeps all others waiting.
testScenarios(MODULE, ['frozen', 'stopped'])
