import { fileURLToPath } from 'node:url'
import { describe } from 'vitest'
import { hasServer } from '../../support/mysql/server.ts'
import { testFirstRaces } from '../../support/processes.ts'

const MODULE = fileURLToPath(new URL('../../programs/reliability/mysql-module.ts', import.meta.url))

describe.skipIf(!hasServer)('MySQL', () => testFirstRaces(MODULE))
