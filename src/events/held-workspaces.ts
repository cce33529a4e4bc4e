/** The longest pause before a refused event is tried again, unless the first is longer. */
const MAX_PAUSE_MS = 60_000
/** With more than this, the one that was refused longest ago is forgotten, which only tries it early. */
const MAX_HELD = 10_000

interface Hold {
  readonly refusals: number
  readonly dueMs: number
}

/**
 * Workspaces whose oldest event was refused. Each waits by itself, longer after each refusal. Only
 * every other claim retries one of them, so that however many wait and however slowly they are
 * refused, the others get their turn in between.
 */
export class HeldWorkspaces {
  readonly #pauseMs: number
  readonly #holds = new Map<string, Hold>()
  #mayRetry = true

  constructor(pauseMs: number) {
    this.#pauseMs = pauseMs
  }

  /** The workspace that the next claim is to retry, if any. Its pause is over. */
  retry(): string | null {
    this.#mayRetry = !this.#mayRetry
    return this.#mayRetry ? this.#due() : null
  }

  /** Whether a workspace waits for no more than its turn. */
  get anyDue(): boolean {
    return this.#due() !== null
  }

  except(retried: string | null): string[] {
    return [...this.#holds.keys()].filter((workspaceId) => workspaceId !== retried)
  }

  hold(workspaceId: string): void {
    const refusals = (this.#holds.get(workspaceId)?.refusals ?? 0) + 1
    const longestMs = Math.max(this.#pauseMs, MAX_PAUSE_MS)
    const pauseMs = Math.min(this.#pauseMs * 2 ** (refusals - 1), longestMs)
    this.#holds.delete(workspaceId)
    this.#holds.set(workspaceId, { refusals, dueMs: performance.now() + pauseMs })
    if (this.#holds.size > MAX_HELD) this.#forgetOldest()
  }

  free(workspaceId: string): void {
    this.#holds.delete(workspaceId)
  }

  #due(): string | null {
    const nowMs = performance.now()
    for (const [workspaceId, { dueMs }] of this.#holds) if (dueMs <= nowMs) return workspaceId
    return null
  }

  #forgetOldest(): void {
    for (const oldest of this.#holds.keys()) {
      this.#holds.delete(oldest)
      return
    }
  }
}
