import type { ChangeLog, LaggingNode } from '../storage/change-log.ts'
import { longestLease } from './barrier.ts'
import type { Machine } from './lease.ts'

export interface SweepParts {
  readonly log: Pick<ChangeLog, 'laggingNodes' | 'evict'>
  readonly machine: Machine
  readonly onFailedLook: (error: unknown) => void
}

/** Removes nodes that ended without leaving, so that no change waits for them. */
export class Sweep {
  readonly #parts: SweepParts
  #isStopped = false
  #cancelTimer = () => {}

  constructor(parts: SweepParts) {
    this.#parts = parts
  }

  /**
   * Reads the registered nodes and, after twice the longest lease, removes those that have not renewed. The
   * second lease allows for clock drift and early timers.
   */
  async run(head: number, own: string | null): Promise<void> {
    const { machine, log } = this.#parts
    const others = await this.#others(head + 1, own)
    if (this.#isStopped || others.length === 0) return
    this.#cancelTimer()
    this.#cancelTimer = machine.after(2 * longestLease(others), () => {
      log.evict(others, head + 1).catch(() => {})
    })
  }

  stop(): void {
    this.#isStopped = true
    this.#cancelTimer()
  }

  /** Nobody has acknowledged what is yet to come, so these are all other nodes. */
  async #others(sequence: number, own: string | null): Promise<readonly LaggingNode[]> {
    try {
      const { nodes } = await this.#parts.log.laggingNodes(sequence)
      return nodes.filter(({ node }) => node !== own)
    } catch (error) {
      // Another process or a change removes them.
      this.#parts.onFailedLook(error)
      return []
    }
  }
}
