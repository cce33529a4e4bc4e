import { testFirstRaces } from '../../support/processes.ts'

testFirstRaces('postgres')
