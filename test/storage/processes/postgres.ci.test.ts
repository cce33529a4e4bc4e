import { fileURLToPath } from 'node:url'
import { testScenarios } from '../../support/processes.ts'

const MODULE = fileURLToPath(
  new URL('../../programs/reliability/postgres-module.ts', import.meta.url),
)

testScenarios(MODULE)
