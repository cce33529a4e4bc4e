import { describe } from 'vitest'
import { hasServer } from '../../support/mysql/server.ts'
import { testScenarios } from '../../support/processes.ts'

// A process that is frozen in a transaction keeps its locks.
describe.skipIf(!hasServer)('MySQL', () => testScenarios('mysql', ['frozen']))
