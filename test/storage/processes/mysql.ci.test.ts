import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { killRounds } from '../../programs/reliability/kill-rounds.ts'
import { limitRace } from '../../programs/reliability/limit-race.ts'
import { revokeRace } from '../../programs/reliability/revoke-race.ts'
import { rotateRace } from '../../programs/reliability/rotate-race.ts'
import { hasServer } from '../../support/mysql/server.ts'

const MODULE = fileURLToPath(new URL('../../programs/reliability/mysql-module.ts', import.meta.url))

test.skipIf(!hasServer).each(
  Object.entries({
    revoke: () => revokeRace(MODULE, { workers: 2, rounds: 10 }),
    limit: () => limitRace(MODULE, { workers: 2, rounds: 1 }),
    rotate: () => rotateRace(MODULE, { workers: 2, rounds: 1 }),
    kill: () => killRounds(MODULE, { rounds: 4 }),
  }),
)('processes on MySQL: %s', { timeout: 300_000 }, async (_, play) => {
  expect((await play()).failures).toEqual([])
})
