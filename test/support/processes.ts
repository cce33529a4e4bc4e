import { expect, test, vi } from 'vitest'
import { adoptRace } from '../programs/reliability/adopt-race.ts'
import { bulkKills } from '../programs/reliability/bulk-kills.ts'
import { ceilingRace } from '../programs/reliability/ceiling-race.ts'
import { eraseKills } from '../programs/reliability/erase-kills.ts'
import { expiryRace, HINDRANCES } from '../programs/reliability/expiry-race.ts'
import { frozenProcess } from '../programs/reliability/frozen-process.ts'
import { importKills } from '../programs/reliability/import-kills.ts'
import { killRounds } from '../programs/reliability/kill-rounds.ts'
import { limitRace } from '../programs/reliability/limit-race.ts'
import { mixedChanges } from '../programs/reliability/mixed-changes.ts'
import { narrowRace } from '../programs/reliability/narrow-race.ts'
import { noticeKills } from '../programs/reliability/notice-kills.ts'
import { openRace } from '../programs/reliability/open-race.ts'
import { relayKills } from '../programs/reliability/relay-kills.ts'
import { revokeRace } from '../programs/reliability/revoke-race.ts'
import { rotateRace } from '../programs/reliability/rotate-race.ts'
import { RIVALS, updateRace } from '../programs/reliability/update-race.ts'
import { usageKills } from '../programs/reliability/usage-kills.ts'
import { runs } from './runs.ts'

/** How much of each race a test runs. The long forms are `npm run reliability:…`. */
interface Races {
  readonly revocations: number
  readonly pauses: number
  /** Of each race of an update against something else. */
  readonly updates: number
  readonly kills: number
}

/** The same of jobs of many steps. */
interface Jobs {
  readonly erasures: number
  readonly relayedEvents: number
  /** None where a process that holds a lock may keep others waiting, as in SQLite. */
  readonly freezes?: number
}

// Processes start slowly on a busy machine.
const PATIENCE = { testTimeout: 600_000 }

/** The races of `npm test`, which show that processes on this storage wait for each other at all. */
export function testFirstRaces(module: string): void {
  vi.setConfig(PATIENCE)

  test.each(
    Object.entries({
      'a revoked key is dead at once': () => revokeRace(module, { rounds: 4 }),
      'inserts reach exactly the limit': () => limitRace(module, { workers: 2, rounds: 1 }),
      'rotations leave one successor': () => rotateRace(module, { workers: 2, rounds: 1 }),
      'a killed process leaves whole changes': () => killRounds(module, { rounds: 2 }),
    }),
  )('processes at once: %s', async (_, race) => {
    expect((await race()).failures).toEqual([])
  })
}

/** Changes by several processes at the same moment, and by one that is killed. */
export function testRaces(module: string, { revocations, pauses, updates, kills }: Races): void {
  vi.setConfig(PATIENCE)

  test('8 processes use a new database at the same moment', async () => {
    expect((await openRace(module)).failures).toEqual([])
  })

  test('200 inserts from 4 processes reach exactly the limit', async () => {
    expect((await limitRace(module, { rounds: 2 })).failures).toEqual([])
  })

  test('200 rotations from 4 processes leave one successor', async () => {
    expect((await rotateRace(module, { rounds: 2 })).failures).toEqual([])
  })

  test('texts of one old key that 4 processes use at once are one key', async () => {
    expect((await adoptRace(module, { rounds: 2 })).failures).toEqual([])
  })

  test('random changes from 3 processes keep every rule at every instant', async () => {
    const { failures, figures } = await mixedChanges(module, { ms: runs(1_000) })
    expect(failures).toEqual([])
    expect(figures['changes']).toBeGreaterThan(5)
  })

  test('a revoked key is dead at once, in full traffic from other processes', async () => {
    const { failures, figures } = await revokeRace(module, { rounds: revocations })
    expect(failures).toEqual([])
    expect(figures['uses']).toBeGreaterThanOrEqual(2 * revocations)
  })

  test('a paused key is dead at once, in full traffic from other processes', async () => {
    const { failures } = await revokeRace(module, { rounds: pauses, by: 'pause' })
    expect(failures).toEqual([])
  })

  test('a narrowed key is narrow at once, with the cache and without it', async () => {
    const { failures, figures } = await narrowRace(module, { rounds: runs(32) })
    expect(failures).toEqual([])
    expect(figures['refused']).toBeGreaterThan(0)
  })

  test('a scope added meanwhile from another process takes no member beyond their ceiling', async () => {
    const { failures, figures } = await ceilingRace(module, { rounds: runs(12) })
    expect(failures).toEqual([])
    expect(figures['done']).toBeGreaterThan(0)
  })

  test.each(RIVALS)('updates of one version from 4 processes, against %s', async (rival) => {
    const { failures } = await updateRace(module, { rival, rounds: updates })
    expect(failures).toEqual([])
  })

  test.each(HINDRANCES)('a key that expires among changes stays expired: %s', async (hindrance) => {
    const { failures } = await expiryRace(module, { hindrance, rounds: runs(12) })
    expect(failures).toEqual([])
  })

  test('a killed process leaves whole changes behind', async () => {
    const { failures, figures } = await killRounds(module, { rounds: kills })
    expect(failures).toEqual([])
    expect(figures['operations']).toBeGreaterThan(kills)
  })
}

/** Jobs of many steps whose process is killed or frozen: another one finishes them. */
export function testKilledJobs(
  module: string,
  { erasures, relayedEvents, freezes = 0 }: Jobs,
): void {
  vi.setConfig(PATIENCE)

  test('an erasure or a purge that is killed is finished by the next', async () => {
    const { failures, figures } = await eraseKills(module, { rounds: erasures })
    expect(failures).toEqual([])
    expect(figures['unfinished']).toBeGreaterThan(0)
  })

  test('a revocation of many keys that is killed is finished by the next, each key once', async () => {
    const { failures, figures } = await bulkKills(module, { keys: 800, kills: 2, watched: 40 })
    expect(failures).toEqual([])
    expect(figures['kills']).toBe(2)
  })

  test('an import that is killed is repeated and stores every key once', async () => {
    const { failures, figures } = await importKills(module, { keys: 400, kills: 2 })
    expect(failures).toEqual([])
    expect(figures['keys']).toBe(400)
  })

  test('4 processes that are killed lose at most one flush each, and count nothing twice', async () => {
    const { failures, figures } = await usageKills(module)
    expect(failures).toEqual([])
    expect(figures['flushed']).toBeGreaterThan(100)
  })

  test('writers of notices that are killed write each notice once', async () => {
    const { failures, figures } = await noticeKills(module)
    expect(failures).toEqual([])
    expect(figures['cut']).toBeGreaterThan(0)
  })

  test('relays that are killed deliver every event, in order', async () => {
    const { failures, figures } = await relayKills(module, { events: relayedEvents })
    expect(failures).toEqual([])
    expect(figures['kills']).toBeGreaterThan(0)
  })

  test.runIf(freezes > 0)('a frozen process keeps nobody waiting', async () => {
    expect((await frozenProcess(module, { rounds: freezes })).failures).toEqual([])
  })
}
