import { frozenRounds, killRounds, relayKills, usageKills } from './kills.ts'
import { limitRace, openRace, revokeRace, rotateRace } from './races.ts'
import { onStage, type Report, type Stage } from './stage.ts'

interface Scenario {
  /** What must hold: the title of its test. */
  readonly title: string
  readonly play: (stage: Stage) => Promise<Readonly<Record<string, number>>>
  /** Processes that are there from the beginning. */
  readonly workers: number
  /** Rounds of a test, and of the long form. */
  readonly rounds: readonly [test: number, long: number]
  /** A figure that must be above 0 for the rounds to have shown anything. */
  readonly seen: string
}

/** Every scenario by its name. */
export const SCENARIOS = {
  open: {
    title: '8 processes use a new database at the same moment',
    ...{ play: openRace, workers: 8, rounds: [1, 1], seen: 'processes' },
  },
  limit: {
    title: '200 creations from 4 processes reach exactly the limit',
    ...{ play: limitRace, workers: 4, rounds: [3, 50], seen: 'creations' },
  },
  rotate: {
    title: '200 rotations and 200 updates of one key from 4 processes: one of each wins',
    ...{ play: rotateRace, workers: 4, rounds: [2, 50], seen: 'rotations' },
  },
  revoke: {
    title: 'a key that is revoked, paused or narrowed is stopped at once, in full traffic',
    ...{ play: revokeRace, workers: 2, rounds: [24, 10_000], seen: 'accepted' },
  },
  kill: {
    title: 'a process that is killed leaves whole changes behind',
    ...{ play: killRounds, workers: 0, rounds: [4, 400], seen: 'answered' },
  },
  frozen: {
    title: 'a process that is frozen keeps nobody waiting',
    ...{ play: frozenRounds, workers: 0, rounds: [2, 50], seen: 'rounds' },
  },
  relay: {
    title: 'relays that are killed deliver every event, in order',
    ...{ play: relayKills, workers: 0, rounds: [8, 300], seen: 'kills' },
  },
  usage: {
    title: 'processes that are killed lose at most one flush each, and count nothing twice',
    ...{ play: usageKills, workers: 0, rounds: [2, 100], seen: 'flushed' },
  },
} as const satisfies Readonly<Record<string, Scenario>>

export type ScenarioName = keyof typeof SCENARIOS

/** Plays a scenario on a storage; how much of it may be given. */
export async function play(
  name: ScenarioName,
  modulePath: string,
  given: { readonly workers?: number; readonly rounds?: number } = {},
): Promise<Report> {
  const { play, seen, workers, rounds }: Scenario = SCENARIOS[name]
  const amounts = { workers: given.workers ?? workers, rounds: given.rounds ?? rounds[0] }
  const { figures, failures } = await onStage({ modulePath, ...amounts }, play)
  const isEmpty = !((figures[seen] ?? 0) > 0)
  return { figures, failures: isEmpty ? [...failures, `nothing was seen: ${seen}`] : failures }
}
