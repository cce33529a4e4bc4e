/** The longest pause before a refused event is tried again, unless the first is longer. */
const MAX_PAUSE_MS = 60_000
/** With more than this, the one that was refused longest ago is forgotten, which only tries it early. */
const MAX_BACKED_OFF = 10_000

/**
 * Workspaces whose oldest event was refused. Each waits by itself, longer after each refusal. Only every
 * other claim retries one of them, so that however many wait and however slowly they are refused, the others
 * get their turn in between.
 */
export class BackedOffWorkspaces {
  readonly #pauseMs: number
  /** When the pause of each is over, the one that was refused longest ago first. */
  readonly #dueMs = new Map<string, number>()
  /** How often the oldest event of each was refused; also of those that are released. */
  readonly #refusals = new Map<string, number>()
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
    return [...this.#dueMs.keys()].filter((workspaceId) => workspaceId !== retried)
  }

  hold(workspaceId: string): void {
    const refusals = (this.#refusals.get(workspaceId) ?? 0) + 1
    const longestMs = Math.max(this.#pauseMs, MAX_PAUSE_MS)
    const pauseMs = Math.min(this.#pauseMs * 2 ** (refusals - 1), longestMs)
    this.free(workspaceId)
    this.#refusals.set(workspaceId, refusals)
    this.#dueMs.set(workspaceId, performance.now() + pauseMs)
    if (this.#refusals.size > MAX_BACKED_OFF) this.#forgetOldest()
  }

  /** Lets a workspace take part again. Its next refusal counts on: nothing was delivered yet. */
  release(workspaceId: string): void {
    this.#dueMs.delete(workspaceId)
  }

  /** Forgets a workspace of which an event was delivered. */
  free(workspaceId: string): void {
    this.#dueMs.delete(workspaceId)
    this.#refusals.delete(workspaceId)
  }

  #due(): string | null {
    const nowMs = performance.now()
    for (const [workspaceId, dueMs] of this.#dueMs) if (dueMs <= nowMs) return workspaceId
    return null
  }

  #forgetOldest(): void {
    for (const oldest of this.#refusals.keys()) {
      this.free(oldest)
      return
    }
  }
}
