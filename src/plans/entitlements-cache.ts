import { outlivesRequests } from '../lib/runtime.ts'
import { checkEntitlements, type Entitlements, type EntitlementsOf } from './entitlements.ts'

/** More workspaces than this and the longest-known one is forgotten first. */
const MAX_WORKSPACES = 100_000

/** What the host once said of a workspace's plan. */
export class Plan {
  readonly #entitlements: Entitlements
  #expiresAtMs: number

  constructor(entitlements: Entitlements, expiresAtMs: number) {
    this.#entitlements = entitlements
    this.#expiresAtMs = expiresAtMs
  }

  /** What it allows, or `null` when that was said too long ago or is not true any more. */
  current(): Entitlements | null {
    return performance.now() < this.#expiresAtMs ? this.#entitlements : null
  }

  /** For whoever still holds it. */
  end(): void {
    this.#expiresAtMs = Number.NEGATIVE_INFINITY
  }
}

/**
 * Asks the host for entitlements and remembers each answer for a stated time. The time is measured by
 * the runtime's monotonic clock: a wall clock that is set back must not prolong an answer.
 */
export class EntitlementsCache {
  readonly #ask: EntitlementsOf
  readonly #ttlMs: number
  /** Not where a question may end unanswered, with the request that asked it. */
  readonly #joins: boolean
  readonly #known = new Map<string, Plan>()
  readonly #asking = new Map<string, Promise<Entitlements>>()

  constructor(ask: EntitlementsOf, ttlMs: number, joins = outlivesRequests) {
    this.#ask = ask
    this.#ttlMs = ttlMs
    this.#joins = joins
  }

  /** The plan as remembered, fresh or not. It may be kept: a drop ends it for all who hold it. */
  plan(workspaceId: string): Plan | null {
    return this.#known.get(workspaceId) ?? null
  }

  /** The remembered answer, or the one a question already under way brings, or a new one. */
  get(workspaceId: string): Promise<Entitlements> {
    const remembered = this.plan(workspaceId)?.current() ?? null
    if (remembered !== null) return Promise.resolve(remembered)
    const asked = this.#joins ? this.#asking.get(workspaceId) : undefined
    return asked ?? this.fresh(workspaceId)
  }

  /** Asks the host now, whatever is remembered, and remembers what it says. */
  fresh(workspaceId: string): Promise<Entitlements> {
    const expiresAtMs = performance.now() + this.#ttlMs
    const question = this.#question(workspaceId)
    this.#asking.set(workspaceId, question)
    const settle = (entitlements: Entitlements | null) => {
      // A later question or a drop has made this answer old: use it, but do not remember it.
      if (this.#asking.get(workspaceId) !== question) return
      this.#asking.delete(workspaceId)
      if (entitlements !== null) this.#remember(workspaceId, new Plan(entitlements, expiresAtMs))
    }
    question.then(settle, () => settle(null))
    return question
  }

  /** Forgets one workspace, or all; answers still on their way are not remembered. */
  drop(workspaceId?: string): void {
    if (workspaceId !== undefined) {
      this.#forget(workspaceId)
      this.#asking.delete(workspaceId)
      return
    }
    for (const plan of this.#known.values()) plan.end()
    this.#known.clear()
    this.#asking.clear()
  }

  #forget(workspaceId: string): void {
    this.#known.get(workspaceId)?.end()
    this.#known.delete(workspaceId)
  }

  async #question(workspaceId: string): Promise<Entitlements> {
    return checkEntitlements(await this.#ask(workspaceId))
  }

  #remember(workspaceId: string, plan: Plan): void {
    this.#forget(workspaceId)
    if (this.#known.size >= MAX_WORKSPACES) {
      for (const oldest of this.#known.keys()) {
        this.#forget(oldest)
        break
      }
    }
    this.#known.set(workspaceId, plan)
  }
}
