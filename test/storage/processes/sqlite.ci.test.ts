import { testScenarios } from '../../support/processes.ts'

// A process that is frozen with SQLite's one lock keeps all others waiting.
testScenarios('sqlite', ['frozen'])
