/** After this many milliseconds without an answer, a statement no longer holds up others. */
const SLOW_MS = 250

/** How many are in flight when some are slow, so that a lost connection does not stop all others. */
const MOST_IN_FLIGHT = 8

/** A statement in flight, by instants of `performance.now()`. */
interface Sent {
  readonly sentAtMs: number
  /** Past it the statement does not count any more. */
  readonly deadlineMs: number
}

/** The statements of one kind in flight. */
export class InFlight<S extends Sent> {
  readonly all = new Set<S>()
  readonly #sendWaiting: () => void
  #timer: ReturnType<typeof setTimeout> | null = null

  constructor(sendWaiting: () => void) {
    this.#sendWaiting = sendWaiting
  }

  /** Whether another one may be sent beside at most so many that are not slow. */
  hasRoomBeside(most: number): boolean {
    if (this.all.size < most) return true
    const nowMs = performance.now()
    let prompt = 0
    for (const sent of this.all) {
      if (sent.deadlineMs <= nowMs) this.all.delete(sent)
      else if (nowMs - sent.sentAtMs < SLOW_MS) prompt += 1
    }
    return prompt < most && this.all.size < MOST_IN_FLIGHT
  }

  /** Sends what waits once those in flight count as slow, unless an answer comes first. */
  sendLater(): void {
    if (this.#timer !== null) return
    this.#timer = setTimeout(() => {
      this.#timer = null
      this.#sendWaiting()
    }, SLOW_MS)
    this.#timer.unref?.()
  }
}
