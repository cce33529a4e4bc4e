import { outlivesRequests } from '../lib/runtime.ts'
import { checkEntitlements, type Entitlements, type EntitlementsOf } from './entitlements.ts'

/** More workspaces than this and the longest-known one is forgotten first. */
const MAX_WORKSPACES = 100_000

/** What the host once said of a workspace's plan. */
export class Plan {
  readonly #entitlements: Entitlements
  readonly #ttlMs: number
  #expiresAtMs: number

  constructor(entitlements: Entitlements, askedAtMs: number, ttlMs: number) {
    this.#entitlements = entitlements
    this.#ttlMs = ttlMs
    this.#expiresAtMs = askedAtMs + ttlMs
  }

  /** What it allows, or `null` when that was said too long ago or is not true any more. */
  at(nowMs: number): Entitlements | null {
    const leftMs = this.#expiresAtMs - nowMs
    // A wall clock that was set back must not prolong an answer beyond its time.
    return leftMs > 0 && leftMs <= this.#ttlMs ? this.#entitlements : null
  }

  /** For whoever still holds it. */
  end(): void {
    this.#expiresAtMs = Number.NEGATIVE_INFINITY
  }
}

/** Asks the host for entitlements and remembers each answer for a stated time. */
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
  get(workspaceId: string, nowMs: number): Promise<Entitlements> {
    const remembered = this.plan(workspaceId)?.at(nowMs) ?? null
    if (remembered !== null) return Promise.resolve(remembered)
    const asked = this.#joins ? this.#asking.get(workspaceId) : undefined
    return asked ?? this.fresh(workspaceId, nowMs)
  }

  /** Asks the host now, whatever is remembered, and remembers what it says. */
  fresh(workspaceId: string, nowMs: number): Promise<Entitlements> {
    const question = this.#question(workspaceId)
    this.#asking.set(workspaceId, question)
    const settle = (entitlements: Entitlements | null) => {
      // A later question or a drop has made this answer old: use it, but do not remember it.
      if (this.#asking.get(workspaceId) !== question) return
      this.#asking.delete(workspaceId)
      if (entitlements !== null) this.#remember(workspaceId, entitlements, nowMs)
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

  #remember(workspaceId: string, entitlements: Entitlements, nowMs: number): void {
    this.#forget(workspaceId)
    if (this.#known.size >= MAX_WORKSPACES) {
      for (const oldest of this.#known.keys()) {
        this.#forget(oldest)
        break
      }
    }
    this.#known.set(workspaceId, new Plan(entitlements, nowMs, this.#ttlMs))
  }
}
