/** What is to be done at an instant of `performance.now()`, unless it is called off before. */
export interface Alarm {
  readonly atMs: number
  readonly ring: () => void
}

/**
 * Many alarms on one timer. It stays set when the alarm it was set for is called off, which nearly
 * all are: a timer for each call costs more than all else that is done for a lookup here.
 */
export class Alarms {
  readonly #alarms = new Set<Alarm>()
  #timer: ReturnType<typeof setTimeout> | null = null
  #timerAtMs = Number.POSITIVE_INFINITY

  /** Rings once, at the instant or a little later. The process does not stay up for it. */
  set(atMs: number, ring: () => void): Alarm {
    const alarm = { atMs, ring }
    this.#alarms.add(alarm)
    if (atMs < this.#timerAtMs) this.#wakeAt(atMs)
    return alarm
  }

  /** Calls an alarm off; one that has rung is of no concern. */
  clear(alarm: Alarm): void {
    this.#alarms.delete(alarm)
  }

  #wakeAt(atMs: number): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timerAtMs = atMs
    this.#timer = setTimeout(() => this.#wake(), Math.max(1, Math.ceil(atMs - performance.now())))
    this.#timer.unref?.()
  }

  #wake(): void {
    this.#timer = null
    this.#timerAtMs = Number.POSITIVE_INFINITY
    const nowMs = performance.now()
    const due = [...this.#alarms].filter(({ atMs }) => atMs <= nowMs)
    for (const alarm of due) this.#alarms.delete(alarm)
    for (const { ring } of due) ring()
    const next = this.#earliest()
    if (next < this.#timerAtMs) this.#wakeAt(next)
  }

  /** A loop: `Math.min(...)` overflows the stack at about 120,000 calls in flight. */
  #earliest(): number {
    let earliest = Number.POSITIVE_INFINITY
    for (const { atMs } of this.#alarms) if (atMs < earliest) earliest = atMs
    return earliest
  }
}
