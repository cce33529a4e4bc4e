import { checkEntitlements, type Entitlements, type EntitlementsOf } from './entitlements.ts'

/** More workspaces than this and the longest-known one is forgotten first. */
const MAX_WORKSPACES = 100_000

interface Answer {
  readonly entitlements: Entitlements
  readonly expiresAtMs: number
}

/** Asks the host for entitlements and remembers each answer for a stated time. */
export class EntitlementsCache {
  readonly #ask: EntitlementsOf
  readonly #ttlMs: number
  readonly #known = new Map<string, Answer>()
  readonly #asking = new Map<string, Promise<Entitlements>>()

  constructor(ask: EntitlementsOf, ttlMs: number) {
    this.#ask = ask
    this.#ttlMs = ttlMs
  }

  /** The remembered answer, or `null` when there is none that is fresh. */
  peek(workspaceId: string, nowMs: number): Entitlements | null {
    const answer = this.#known.get(workspaceId)
    if (answer === undefined || nowMs >= answer.expiresAtMs) return null
    // A wall clock that was set back must not prolong an answer beyond its time.
    return answer.expiresAtMs - nowMs > this.#ttlMs ? null : answer.entitlements
  }

  /** The remembered answer, or the one a question already under way brings, or a new one. */
  get(workspaceId: string, nowMs: number): Promise<Entitlements> {
    const remembered = this.peek(workspaceId, nowMs)
    if (remembered !== null) return Promise.resolve(remembered)
    return this.#asking.get(workspaceId) ?? this.fresh(workspaceId, nowMs)
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
    if (workspaceId === undefined) {
      this.#known.clear()
      this.#asking.clear()
      return
    }
    this.#known.delete(workspaceId)
    this.#asking.delete(workspaceId)
  }

  async #question(workspaceId: string): Promise<Entitlements> {
    return checkEntitlements(await this.#ask(workspaceId))
  }

  #remember(workspaceId: string, entitlements: Entitlements, nowMs: number): void {
    this.#known.delete(workspaceId)
    if (this.#known.size >= MAX_WORKSPACES) {
      for (const oldest of this.#known.keys()) {
        this.#known.delete(oldest)
        break
      }
    }
    this.#known.set(workspaceId, { entitlements, expiresAtMs: nowMs + this.#ttlMs })
  }
}
