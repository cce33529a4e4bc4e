import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { limitRace } from '../reliability/limit-race.ts'
import { revokeRace } from '../reliability/revoke-race.ts'

// Scenarios that never fail would prove nothing: on a broken storage they must.
const MODULE = fileURLToPath(new URL('../reliability/broken-module.ts', import.meta.url))

test('the revoke race catches lookups from a cache', async () => {
  const { failures } = await revokeRace(MODULE, { rounds: 3 })
  expect(failures.join('\n')).toContain('alive after the revocation had answered')
})

test('the limit race catches a limit that is checked before the insert', async () => {
  const { failures } = await limitRace(MODULE, { workers: 2, inserts: 40 })
  expect(failures.join('\n')).toContain('told, keys, events')
})
