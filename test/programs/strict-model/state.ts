/** How far a run of the model goes. */
export interface Bounds {
  /** How long a lease lasts, in ticks. */
  readonly lease: number
  /** How long a revoker waits before it gives up on a node, in ticks. */
  readonly wait: number
  /** The key that each revoker revokes, 0 or 1; at most two revokers. */
  readonly revokers: readonly number[]
  /** Ticks that the clock of the node may miss in a run. */
  readonly slowTicks: number
  /** Ticks that the clocks of the revokers may gain in a run. */
  readonly fastTicks: number
  /** Renewals that may be carried out after the node has given them up. */
  readonly lateRenewals: number
  /** How often the database may go back to an earlier state, 0 or 1. */
  readonly restores: number
  /** How often a frozen primary may be replaced by its synchronous standby, 0 or 1. */
  readonly replacements: number
}

/** What a revoker is doing. */
export const Phase = {
  idle: 0,
  /** Has taken a sequence, or read the nodes, and not committed: only where a bug allows that. */
  early: 1,
  committed: 2,
  waiting: 3,
  /** Has resolved, and its eviction is under way. */
  evicting: 4,
  resolved: 5,
} as const

/** Where a lookup of the node is. */
export const Lookup = { none: 0, sent: 1, foundAlive: 2 } as const

/** Where the renewal of the node is. */
export const Message = { none: 0, sent: 1, answered: 2, answeredEvicted: 3 } as const

/** Where each fact of a state is kept; those of keys and revokers take two places. */
export const Fact = {
  // The database.
  head: 0,
  row: 1,
  acked: 2,
  // The node. `applied` is one more than the sequence, and 0 when nothing is applied.
  isRegistered: 3,
  applied: 4,
  lease: 5,
  /** Of a lease that a timer ends: the timer has not run yet. */
  flag: 6,
  message: 7,
  messageAge: 8,
  messageApplied: 9,
  messageHead: 10,
  /** One more than `applied` of a renewal that was given up and may still be carried out. */
  late: 11,
  /** Of a lease that was given before its changes were applied: one more than the head. */
  unapplied: 12,
  isCommitting: 13,
  // What is left of the bounds.
  slowTicks: 14,
  fastTicks: 15,
  lateRenewals: 16,
  // Of each key.
  revokedAt: 17,
  entry: 19,
  lookup: 21,
  isDirty: 23,
  /** A call that began after the revocation holds an entry that it has read before. */
  held: 25,
  // Of each revoker.
  phase: 27,
  sequence: 29,
  elapsed: 31,
  /** The row of the node is the one that the revoker has seen. */
  isSameRow: 33,
  /** And it has not renewed since. */
  isAsSeen: 35,
  // Of the backup, and of what was carried out since: a restore undoes that.
  restores: 37,
  isSaved: 38,
  savedHead: 39,
  savedRow: 40,
  savedAcked: 41,
  /** Of each key. */
  savedRevokedAt: 42,
  isRestored: 44,
  /** The last renewal whose answer the node has applied was carried out since; so was the one under way. */
  answeredSince: 45,
  messageSince: 46,
  /** What the renewal that was given up names as answered. */
  lateSince: 47,
  /** The renewal under way has found that the log was restored. */
  isOtherLog: 48,
  /** A renewal has been carried out on the restored log: only a mistake asks that. */
  hasCaughtUp: 49,
  replacements: 50,
  /** The node is connected to a primary that was replaced: it answers reads, and no change. */
  isReplaced: 51,
  /** Of each key: alive on that primary. */
  isAliveThere: 52,
} as const

/** How many bits a value has; a character of a key holds three. */
const BITS = 5

/** A multiple of three, with room for every fact. */
const SIZE = 54

/** The characters of one key, before they become a text. */
const characters: number[] = Array(SIZE / 3).fill(0)

/** One node, its database and the revokers, at one moment. */
export class State {
  readonly #values: number[]

  private constructor(values: number[]) {
    this.#values = values
  }

  /** An empty database, and a node that has not begun. */
  static initial(bounds: Bounds): State {
    const { slowTicks, fastTicks, lateRenewals, restores, replacements } = bounds
    const state = new State(Array(SIZE).fill(0))
    state.set(Fact.slowTicks, slowTicks)
    state.set(Fact.fastTicks, fastTicks)
    state.set(Fact.lateRenewals, lateRenewals)
    state.set(Fact.restores, restores)
    state.set(Fact.replacements, replacements)
    return state
  }

  get(fact: number, at = 0): number {
    return this.#values[fact + at] as number
  }

  set(fact: number, value: number, at = 0): void {
    if (value >> BITS !== 0) throw new RangeError(`${value} does not fit into a key.`)
    this.#values[fact + at] = value
  }

  /** A copy to be changed. */
  copy(): State {
    return new State(this.#values.slice())
  }

  /** A text that two states share only if they are equal. */
  get key(): string {
    for (let at = 0; at < SIZE; at += 3) {
      const upper = (this.get(at) << BITS) | this.get(at + 1)
      characters[at / 3] = (upper << BITS) | this.get(at + 2)
    }
    return String.fromCharCode(...characters)
  }
}
