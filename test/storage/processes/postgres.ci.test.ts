import { testScenarios } from '../../support/processes.ts'

testScenarios('postgres')
