import { runs } from '../../support/runs.ts'
import { bulkKills } from './bulk-kills.ts'
import { eraseKills } from './erase-kills.ts'
import { expiryRace, HINDRANCES } from './expiry-race.ts'
import { frozenProcess } from './frozen-process.ts'
import { importKills } from './import-kills.ts'
import { killRounds } from './kill-rounds.ts'
import { mixedChanges } from './mixed-changes.ts'
import { noticeKills } from './notice-kills.ts'
import {
  bulkRotations,
  ceilingRace,
  limitRace,
  openRace,
  RIVALS,
  rotateRace,
  updateRace,
} from './races.ts'
import { relayKills } from './relay-kills.ts'
import type { Report } from './scenario.ts'
import { stopRace } from './stop-race.ts'
import { usageKills } from './usage-kills.ts'

/** How much of each scenario is played. */
export interface Amounts {
  readonly workers: number
  readonly rounds: number
  /** Rounds of those that make hundreds of changes in each. */
  readonly races: number
  readonly kills: number
  readonly ms: number
  readonly lanes: number
}

interface Scenario {
  /** What must hold: the title of its test. */
  readonly title: string
  play(module: string, amounts: Amounts): Promise<Report>
  /** Plays as much as a test does. */
  test(module: string): Promise<Report>
  /** A figure of the test, and what it must be above for it to have shown anything. */
  readonly seen?: readonly [figure: string, above: number]
}

/** Every scenario by its name. */
export const SCENARIOS: Readonly<Record<string, Scenario>> = {
  open: {
    title: '8 processes use a new database at the same moment',
    play: (module) => openRace(module),
    test: (module) => openRace(module),
  },
  limit: {
    title: '200 creations from 4 processes reach exactly the limit',
    play: (module, { workers, races }) => limitRace(module, { workers, rounds: races }),
    test: (module) => limitRace(module, { rounds: 3 }),
  },
  rotate: {
    title: '200 rotations from 4 processes leave one successor',
    play: (module, { workers, races }) => rotateRace(module, { workers, rounds: races }),
    test: (module) => rotateRace(module, { rounds: 2 }),
  },
  mixed: {
    title: 'random changes from 3 processes keep every rule at every instant',
    play: (module, { workers, ms }) => mixedChanges(module, { workers, ms }),
    test: (module) => mixedChanges(module, { ms: runs(1_000) }),
    seen: ['changes', 5],
  },
  revoke: {
    title: 'a revoked key is dead at once, in full traffic from other processes',
    play: (module, { workers, rounds }) => stopRace(module, { workers, rounds }),
    test: (module) => stopRace(module, { rounds: runs(20) }),
    seen: ['accepted', 2 * runs(20) - 1],
  },
  pause: {
    title: 'a paused key is dead at once, in full traffic from other processes',
    play: (module, { workers, rounds }) => stopRace(module, { workers, rounds, by: ['pause'] }),
    test: (module) => stopRace(module, { rounds: runs(12), by: ['pause'] }),
  },
  narrow: {
    title: 'a narrowed key is narrow at once, with the cache and without it',
    play: (module, { workers, rounds }) =>
      stopRace(module, { workers, rounds, lanes: 8, by: ['resources', 'networks'] }),
    test: (module) =>
      stopRace(module, { rounds: runs(32), lanes: 8, by: ['resources', 'networks'] }),
    seen: ['refused', 0],
  },
  stopped: {
    title: 'a process with the cache that was stopped meanwhile accepts no revoked key',
    play: (module, { workers, races }) =>
      stopRace(module, { workers, rounds: races, isFrozen: true }),
    test: (module) => stopRace(module, { rounds: runs(4), isFrozen: true }),
    seen: ['refused', 0],
  },
  ...Object.fromEntries(
    RIVALS.map((rival) => [
      `update-${rival}`,
      {
        title: `updates of one version from 4 processes, against ${rival}`,
        play: (module: string, { workers, rounds }: Amounts) =>
          updateRace(module, { rival, workers, rounds }),
        test: (module: string) => updateRace(module, { rival, rounds: runs(15) }),
      },
    ]),
  ),
  ...Object.fromEntries(
    HINDRANCES.map((hindrance) => [
      `expiry-${hindrance}`,
      {
        title: `a key that expires among changes stays expired: ${hindrance}`,
        play: (module: string, { workers, rounds, lanes }: Amounts) =>
          expiryRace(module, { workers, rounds, lanes, hindrance }),
        test: (module: string) => expiryRace(module, { hindrance, rounds: runs(12) }),
      },
    ]),
  ),
  ceiling: {
    title: 'a scope added meanwhile from another process takes no member beyond their ceiling',
    play: (module, { rounds }) => ceilingRace(module, { rounds }),
    test: (module) => ceilingRace(module, { rounds: runs(12) }),
    seen: ['done', 0],
  },
  chains: {
    title: 'a revocation of many keys lets no replacement escape that is made meanwhile',
    play: (module, { races }) => bulkRotations(module, { rounds: races }),
    test: (module) => bulkRotations(module, { rounds: runs(3) }),
    seen: ['rotated', 0],
  },
  bulk: {
    title: 'a revocation of many keys that is killed is finished by the next, each key once',
    play: (module) => bulkKills(module),
    test: (module) => bulkKills(module, { keys: 800, kills: 2, watched: 40 }),
    seen: ['kills', 1],
  },
  erase: {
    title: 'an erasure or a purge that is killed is finished by the next',
    play: (module, { kills }) => eraseKills(module, { rounds: kills }),
    test: (module) => eraseKills(module, { rounds: 3 }),
    seen: ['unfinished', 0],
  },
  relay: {
    title: 'relays that are killed deliver every event, in order',
    play: (module, { kills }) => relayKills(module, { events: 10 * kills }),
    test: (module) => relayKills(module, { events: runs(50) }),
    seen: ['kills', 0],
  },
  notices: {
    title: 'writers of notices that are killed write each notice once',
    play: (module, { kills }) => noticeKills(module, { kills }),
    test: (module) => noticeKills(module),
    seen: ['cut', 0],
  },
  import: {
    title: 'an import that is killed is repeated and stores every key once',
    play: (module) => importKills(module),
    test: (module) => importKills(module, { keys: 400, kills: 2 }),
    seen: ['keys', 399],
  },
  usage: {
    title: '4 processes that are killed lose at most one flush each, and count nothing twice',
    play: (module, { workers, kills }) =>
      usageKills(module, { workers, rounds: Math.ceil(kills / workers) }),
    test: (module) => usageKills(module),
    seen: ['flushed', 100],
  },
  kill: {
    title: 'a killed process leaves whole changes behind',
    play: (module, { kills }) => killRounds(module, { rounds: kills }),
    test: (module) => killRounds(module, { rounds: runs(4) }),
    seen: ['operations', runs(4)],
  },
  frozen: {
    title: 'a frozen process keeps nobody waiting',
    play: (module, { races }) => frozenProcess(module, { rounds: races }),
    test: (module) => frozenProcess(module, { rounds: runs(2) }),
  },
}
