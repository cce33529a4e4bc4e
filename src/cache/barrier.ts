import type { ChangeLog, Lag, LaggingNode } from '../storage/change-log.ts'
import type { Machine } from './lease.ts'

/** The longest lease that a node may have, in milliseconds. */
export const MAX_LEASE_MS = 30_000

/**
 * How far a monotonic clock may run from real time: one part in a thousand. Quartz keeps one in ten thousand,
 * and time servers correct the rate by at most one in two thousand.
 */
const DRIFT = 1e-3

/** For the granularity of clocks. */
const MARGIN_MS = 2

/** The pauses between two looks at who has acknowledged. */
const FIRST_PAUSE_MS = 1
const LONGEST_PAUSE_MS = 50

/** The longest pause while the log cannot be reached. */
const LONGEST_PAUSE_IN_OUTAGE_MS = 1_000

export interface BarrierParts {
  readonly log: Pick<ChangeLog, 'laggingNodes' | 'evict' | 'wake'>
  readonly machine: Machine
  /** Called for the first failed look of a pass: the next ones fail for the same reason. */
  readonly onFailedLook: (error: unknown) => void
}

interface Group {
  readonly own: string | null
  end: Promise<void>
}

/** Waits until no node answers from what it remembered before a change. */
export class Barrier {
  protected readonly parts: BarrierParts
  /** Changes whose nodes are yet to be read: one look is enough for all of them. */
  #joining: Group | null = null
  /** Resolves once the look under way is over. */
  #looking = Promise.resolve()

  constructor(parts: BarrierParts) {
    this.parts = parts
  }

  /**
   * Call it once the change is committed. Resolves when each node has acknowledged it or has no lease from
   * before, and never rejects: the change stands, so a log that cannot be reached only makes it wait for the
   * longest lease. `own` has applied the change already.
   */
  waitForAcknowledgements(own: string | null): Promise<void> {
    const joining = this.#joining
    return joining === null || joining.own !== own ? this.#begin(own) : joining.end
  }

  /** Waits for the first look of another change, while others join, and then for all of them. */
  #begin(own: string | null): Promise<void> {
    const before = this.#looking
    const group = { own, end: Promise.resolve() }
    this.#joining = group
    let looked = () => {}
    this.#looking = new Promise((resolve) => {
      looked = resolve
    })
    group.end = before.then(() => {
      // A change that comes from now on may commit after the nodes are read.
      if (this.#joining === group) this.#joining = null
      return this.#wait(own, looked)
    })
    return group.end
  }

  async #wait(own: string | null, looked: () => void): Promise<void> {
    const { machine, log } = this.parts
    let seen: Lag | null = null
    let endsMs = machine.monotonicMs() + this.waitMs(MAX_LEASE_MS)
    const look = this.#look(own)
    // A log that does not answer keeps the next group waiting no longer than a pause.
    const cancelTimer = machine.after(LONGEST_PAUSE_MS, looked)
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs *= 2) {
      // The first look finds the end of the log, which the others go by.
      const lag: Lag | null = await look(seen?.head ?? null)
      cancelTimer()
      looked()
      pauseMs = Math.min(pauseMs, lag === null ? LONGEST_PAUSE_IN_OUTAGE_MS : LONGEST_PAUSE_MS)
      if (lag !== null) {
        if (seen === null) endsMs = machine.monotonicMs() + this.waitMs(longestLease(lag.nodes))
        if (seen === null && lag.nodes.length > 0) log.wake?.().catch(() => {})
        const { head, nodes }: Lag = seen ?? lag
        seen = { head, nodes: stillLagging(nodes, lag.nodes) }
        if (seen.nodes.length === 0) return
      }
      const leftMs = endsMs - machine.monotonicMs()
      if (leftMs <= 0) break
      await machine.sleep(Math.min(pauseMs, leftMs))
    }
    // As they were when first seen: a node that has renewed since keeps its place.
    if (seen !== null) log.evict(seen.nodes, seen.head).catch(() => {})
  }

  /** How long until a lease is over on the clock of its node, when that clock may be slow and this one fast. */
  protected waitMs(leaseMs: number): number {
    return (leaseMs * (1 + DRIFT)) / (1 - DRIFT) + MARGIN_MS
  }

  /** Returns the other nodes that lag, or `null` when the log does not answer, and reports that once. */
  #look(own: string | null): (sequence: number | null) => Promise<Lag | null> {
    const { log, onFailedLook } = this.parts
    let hasFailed = false
    return async (sequence) => {
      try {
        const { head, nodes } = await log.laggingNodes(sequence)
        return { head, nodes: nodes.filter(({ node }) => node !== own) }
      } catch (error) {
        if (!hasFailed) onFailedLook(error)
        hasFailed = true
        return null
      }
    }
  }
}

/** The longest lease that one of these nodes may have, in milliseconds. */
export function longestLease(nodes: readonly LaggingNode[]): number {
  return Math.max(0, ...nodes.map(({ leaseMs }) => leaseMs))
}

/** Nodes that have registered since are not waited for: what they read is newer than the change. */
function stillLagging(before: readonly LaggingNode[], now: readonly LaggingNode[]) {
  const nodes = new Set(now.map(({ node }) => node))
  return before.filter(({ node }) => nodes.has(node))
}

/** Removes nodes that ended without leaving, so that no change waits for them. */
export class Sweep {
  readonly #parts: BarrierParts
  #isStopped = false
  #cancelTimer = () => {}

  constructor(parts: BarrierParts) {
    this.#parts = parts
  }

  /**
   * Reads the registered nodes and, after twice the longest lease, removes those that have not renewed. The
   * second lease allows for clock drift and early timers.
   */
  async run(head: number, own: string | null): Promise<void> {
    const { machine, log, onFailedLook } = this.#parts
    try {
      // Nobody has acknowledged what is yet to come, so these are all other nodes.
      const { nodes } = await log.laggingNodes(head + 1)
      const others = nodes.filter(({ node }) => node !== own)
      if (this.#isStopped || others.length === 0) return
      this.#cancelTimer()
      this.#cancelTimer = machine.after(2 * longestLease(others), () => {
        log.evict(others, head + 1).catch(() => {})
      })
    } catch (error) {
      // Another process or a change removes them.
      onFailedLook(error)
    }
  }

  stop(): void {
    this.#isStopped = true
    this.#cancelTimer()
  }
}
