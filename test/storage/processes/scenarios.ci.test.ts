import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { killRounds } from '../../programs/reliability/kill-rounds.ts'
import { limitRace } from '../../programs/reliability/limit-race.ts'
import { mixedChanges } from '../../programs/reliability/mixed-changes.ts'
import { narrowRace } from '../../programs/reliability/narrow-race.ts'
import { revokeRace } from '../../programs/reliability/revoke-race.ts'
import { strictRounds } from '../../programs/reliability/strict/scenario.ts'

// Scenarios that never fail would prove nothing: on a broken storage they must.
const MODULE = fileURLToPath(
  new URL('../../programs/reliability/broken-module.ts', import.meta.url),
)
const PAGES_MODULE = fileURLToPath(
  new URL('../../programs/reliability/broken-pages-module.ts', import.meta.url),
)

test('the revoke race catches lookups from a cache', async () => {
  const { failures } = await revokeRace(MODULE, { rounds: 3 })
  expect(failures.join('\n')).toContain('alive after it was stopped')
})

test('the narrow race catches lookups from a cache', async () => {
  const { failures } = await narrowRace(MODULE, { rounds: 4, lanes: 1 })
  expect(failures.join('\n')).toContain('accepted after they were taken')
})

test('the limit race catches a limit that is checked before the insert', async () => {
  const { failures } = await limitRace(MODULE, { workers: 2, inserts: 40 })
  expect(failures.join('\n')).toContain('told, keys, events')
})

test('the mixed changes catch a dead key that lives on in a cache', async () => {
  // What comes up at random needs more time on a machine that is busy.
  let told = ''
  for (let ms = 1_000; ms <= 32_000 && !told.includes(': dead: '); ms *= 2) {
    const { failures } = await mixedChanges(MODULE, { workers: 2, ms })
    told += failures.join('\n')
  }
  expect(told).toContain(': dead: ')
})

test('the kill rounds catch a key that is missing', async () => {
  const { failures } = await killRounds(PAGES_MODULE, { rounds: 2 })
  expect(failures.join('\n')).toContain('neither before nor after')
})

test('the strict rounds catch a naive cache', async () => {
  const { staleAccepts } = await strictRounds({ rounds: 2, kinds: ['hints lost'], isNaive: true })
  expect(staleAccepts['hints lost']).toBeGreaterThan(0)
})
