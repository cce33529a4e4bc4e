import { fileURLToPath } from 'node:url'
import { expect, test, vi } from 'vitest'
import { killRounds } from '../../programs/reliability/kill-rounds.ts'
import { limitRace } from '../../programs/reliability/limit-race.ts'
import { mixedChanges } from '../../programs/reliability/mixed-changes.ts'
import { openRace } from '../../programs/reliability/open-race.ts'
import { relayKills } from '../../programs/reliability/relay-kills.ts'
import { revokeRace } from '../../programs/reliability/revoke-race.ts'
import { rotateRace } from '../../programs/reliability/rotate-race.ts'

// Processes start slowly on a busy machine.
vi.setConfig({ testTimeout: 600_000 })

const MODULE = fileURLToPath(
  new URL('../../programs/reliability/sqlite-module.ts', import.meta.url),
)

test('8 processes use a new file at the same moment', async () => {
  expect((await openRace(MODULE)).failures).toEqual([])
})

test('200 inserts from 4 processes reach exactly the limit', async () => {
  expect((await limitRace(MODULE, { rounds: 2 })).failures).toEqual([])
})

test('200 rotations from 4 processes leave one successor', async () => {
  expect((await rotateRace(MODULE, { rounds: 2 })).failures).toEqual([])
})

test('random changes from 3 processes keep every rule at every instant', async () => {
  const { failures, figures } = await mixedChanges(MODULE, { ms: 2_000 })
  expect(failures).toEqual([])
  expect(figures['changes']).toBeGreaterThan(5)
})

test('a revoked key is dead at once, in full traffic from other processes', async () => {
  const { failures, figures } = await revokeRace(MODULE, { rounds: 150 })
  expect(failures).toEqual([])
  expect(figures['uses']).toBeGreaterThanOrEqual(300)
})

test('a killed process leaves whole changes behind', async () => {
  const { failures, figures } = await killRounds(MODULE, { rounds: 12 })
  expect(failures).toEqual([])
  expect(figures['operations']).toBeGreaterThan(12)
})

test('relays that are killed deliver every event, in order', async () => {
  const { failures, figures } = await relayKills(MODULE, { events: 150 })
  expect(failures).toEqual([])
  expect(figures['kills']).toBeGreaterThan(0)
})
