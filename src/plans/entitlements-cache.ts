import { outlivesRequests } from '../lib/runtime.ts'
import type { Plan } from './entitlements.ts'

/** With more workspaces than this, the oldest answer is forgotten. */
const MAX_WORKSPACES = 100_000

interface RememberedPlan {
  readonly entitlements: Plan
  /** When it may no longer be used, on the monotonic clock. */
  readonly expiresAtMs: number
}

/**
 * Loads entitlements from the host and remembers each answer for a stated time. The time is measured by the
 * runtime's monotonic clock: a wall clock that is set back must not prolong an answer.
 */
export class EntitlementsCache {
  readonly #load: (workspaceId: string) => Plan | Promise<Plan>
  readonly #ttlMs: number
  readonly #joins: boolean
  readonly #remembered = new Map<string, RememberedPlan>()
  readonly #pending = new Map<string, Promise<Plan>>()

  /**
   * `load` rejects with an `OutageError`. `joins`: whether callers share a call that is pending; in a Worker it
   * ends with its request, and with a TTL of 0 an earlier answer is already outdated.
   */
  constructor(
    load: (workspaceId: string) => Plan | Promise<Plan>,
    ttlMs: number,
    joins = outlivesRequests,
  ) {
    this.#load = load
    this.#ttlMs = ttlMs
    this.#joins = joins && ttlMs > 0
  }

  /** The answer of a pending call, or of a new one. */
  get(workspaceId: string): Promise<Plan> {
    const pending = this.#joins ? this.#pending.get(workspaceId) : undefined
    return pending ?? this.fresh(workspaceId)
  }

  /** The remembered answer, or `null` before the first one and after its time. */
  remembered(workspaceId: string): Plan | null {
    const found = this.#remembered.get(workspaceId)
    return found !== undefined && performance.now() < found.expiresAtMs ? found.entitlements : null
  }

  /** Calls the host now, whatever is remembered, and remembers the answer. */
  fresh(workspaceId: string): Promise<Plan> {
    const expiresAtMs = performance.now() + this.#ttlMs
    const call = this.#call(workspaceId)
    this.#pending.set(workspaceId, call)
    const finish = (entitlements: Plan | null) => {
      // A later call or a drop has outdated this answer: it is used, but not remembered.
      if (this.#pending.get(workspaceId) !== call) return
      this.#pending.delete(workspaceId)
      if (entitlements === null) return
      this.#remember(workspaceId, { entitlements, expiresAtMs })
    }
    call.then(finish, () => finish(null))
    return call
  }

  /** Forgets one workspace, or all; a pending answer is not remembered. */
  drop(workspaceId?: string): void {
    if (workspaceId === undefined) {
      this.#remembered.clear()
      this.#pending.clear()
    } else {
      this.#remembered.delete(workspaceId)
      this.#pending.delete(workspaceId)
    }
  }

  async #call(workspaceId: string): Promise<Plan> {
    return this.#load(workspaceId)
  }

  #remember(workspaceId: string, answer: RememberedPlan): void {
    this.#remembered.delete(workspaceId)
    const [oldest] = this.#remembered.size < MAX_WORKSPACES ? [] : this.#remembered.keys()
    if (oldest !== undefined) this.#remembered.delete(oldest)
    this.#remembered.set(workspaceId, answer)
  }
}
