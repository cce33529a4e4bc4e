import { outlivesRequests } from '../lib/runtime.ts'
import type { Plan } from './entitlements.ts'

/** With more workspaces than this, the one that was asked about first is forgotten. */
const MAX_WORKSPACES = 100_000

/** An answer of the host. */
export interface RememberedPlan {
  readonly entitlements: Plan
  /**
   * When it may no longer be used, on the monotonic clock. Infinitely long ago once something has
   * outdated it, for everything that holds it.
   */
  expiresAtMs: number
}

/**
 * Asks the host for entitlements and remembers each answer for a stated time. The time is measured by
 * the runtime's monotonic clock: a wall clock that is set back must not prolong an answer.
 */
export class EntitlementsCache {
  readonly #askHost: (workspaceId: string) => Plan | Promise<Plan>
  readonly #ttlMs: number
  readonly #joins: boolean
  readonly #remembered = new Map<string, RememberedPlan>()
  readonly #asking = new Map<string, Promise<Plan>>()

  /**
   * `askHost` throws or rejects with an `OutageError`. `joins`: whether callers share a call of the host that is in flight. In a Worker it ends with
   * its request. With a TTL of 0 they never do: an earlier answer is already outdated.
   */
  constructor(
    askHost: (workspaceId: string) => Plan | Promise<Plan>,
    ttlMs: number,
    joins = outlivesRequests,
  ) {
    this.#askHost = askHost
    this.#ttlMs = ttlMs
    this.#joins = joins && ttlMs > 0
  }

  /** The answer to a question under way, or to a new one. */
  ask(workspaceId: string): Promise<Plan> {
    const asked = this.#joins ? this.#asking.get(workspaceId) : undefined
    return asked ?? this.fresh(workspaceId)
  }

  /** The remembered answer, or `null` when there is none or its time is over. */
  remembered(workspaceId: string): RememberedPlan | null {
    const found = this.#remembered.get(workspaceId)
    return found !== undefined && performance.now() < found.expiresAtMs ? found : null
  }

  /** Asks the host now, whatever is remembered, and remembers the answer. */
  fresh(workspaceId: string): Promise<Plan> {
    const expiresAtMs = performance.now() + this.#ttlMs
    const question = this.#question(workspaceId)
    this.#asking.set(workspaceId, question)
    const settle = (entitlements: Plan | null) => {
      // A later question or a drop has outdated this answer: it is used, but not remembered.
      if (this.#asking.get(workspaceId) !== question) return
      this.#asking.delete(workspaceId)
      if (entitlements === null) return
      this.#remember(workspaceId, { entitlements, expiresAtMs })
    }
    question.then(settle, () => settle(null))
    return question
  }

  /** Forgets one workspace, or all; an answer still under way is not remembered. */
  drop(workspaceId?: string): void {
    if (workspaceId === undefined) {
      for (const known of this.#remembered.keys()) this.#forget(known)
      this.#asking.clear()
    } else {
      this.#forget(workspaceId)
      this.#asking.delete(workspaceId)
    }
  }

  async #question(workspaceId: string): Promise<Plan> {
    return this.#askHost(workspaceId)
  }

  #remember(workspaceId: string, answer: RememberedPlan): void {
    this.#forget(workspaceId)
    const [oldest] = this.#remembered.size < MAX_WORKSPACES ? [] : this.#remembered.keys()
    if (oldest !== undefined) this.#forget(oldest)
    this.#remembered.set(workspaceId, answer)
  }

  #forget(workspaceId: string): void {
    // Keys hold the answer too.
    const known = this.#remembered.get(workspaceId)
    if (known !== undefined) known.expiresAtMs = Number.NEGATIVE_INFINITY
    this.#remembered.delete(workspaceId)
  }
}
