import { expect, test, vi } from 'vitest'
import { frozenProcess } from '../programs/reliability/frozen-process.ts'
import { killRounds } from '../programs/reliability/kill-rounds.ts'
import { limitRace } from '../programs/reliability/limit-race.ts'
import { mixedChanges } from '../programs/reliability/mixed-changes.ts'
import { openRace } from '../programs/reliability/open-race.ts'
import { relayKills } from '../programs/reliability/relay-kills.ts'
import { revokeRace } from '../programs/reliability/revoke-race.ts'
import { rotateRace } from '../programs/reliability/rotate-race.ts'

/** How much of each race `npm test` runs. The long forms are `npm run reliability:…`. */
interface Sizes {
  readonly revocations: number
  readonly kills: number
  readonly relayedEvents: number
  /** None where a process that holds a lock may keep others waiting, as in SQLite. */
  readonly freezes?: number
}

/** The races of several processes on one storage, in their short form. */
export function testProcesses(module: string, sizes: Sizes): void {
  // Processes start slowly on a busy machine.
  vi.setConfig({ testTimeout: 600_000 })

  test('8 processes use a new database at the same moment', async () => {
    expect((await openRace(module)).failures).toEqual([])
  })

  test('200 inserts from 4 processes reach exactly the limit', async () => {
    expect((await limitRace(module, { rounds: 2 })).failures).toEqual([])
  })

  test('200 rotations from 4 processes leave one successor', async () => {
    expect((await rotateRace(module, { rounds: 2 })).failures).toEqual([])
  })

  test('random changes from 3 processes keep every rule at every instant', async () => {
    const { failures, figures } = await mixedChanges(module, { ms: 2_000 })
    expect(failures).toEqual([])
    expect(figures['changes']).toBeGreaterThan(5)
  })

  test('a revoked key is dead at once, in full traffic from other processes', async () => {
    const rounds = sizes.revocations
    const { failures, figures } = await revokeRace(module, { rounds })
    expect(failures).toEqual([])
    expect(figures['uses']).toBeGreaterThanOrEqual(2 * rounds)
  })

  test('a killed process leaves whole changes behind', async () => {
    const rounds = sizes.kills
    const { failures, figures } = await killRounds(module, { rounds })
    expect(failures).toEqual([])
    expect(figures['operations']).toBeGreaterThan(rounds)
  })

  test('relays that are killed deliver every event, in order', async () => {
    const { failures, figures } = await relayKills(module, { events: sizes.relayedEvents })
    expect(failures).toEqual([])
    expect(figures['kills']).toBeGreaterThan(0)
  })

  const { freezes = 0 } = sizes
  test.runIf(freezes > 0)('a frozen process keeps nobody waiting', async () => {
    expect((await frozenProcess(module, { rounds: freezes })).failures).toEqual([])
  })
}
