/** Runs a limited number of jobs at once. The others wait, each under a name of its own. */
export class Semaphore {
  readonly #limit: number
  /** Starts each waiting job; in the order in which they arrived. */
  readonly #waiting = new Map<string, () => void>()
  #running = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  /** How many jobs are waiting. */
  get waiting(): number {
    return this.#waiting.size
  }

  /** Runs a job when fewer than the limit are running. */
  async run<T>(name: string, work: () => T | Promise<T>): Promise<T> {
    if (this.#running < this.#limit) this.#running += 1
    else await new Promise<void>((start) => this.#waiting.set(name, start))
    try {
      return await work()
    } finally {
      this.#release()
    }
  }

  /** Withdraws a job that is still waiting. */
  leave(name: string): void {
    this.#waiting.delete(name)
  }

  /** Starts the job that has waited longest. */
  #release(): void {
    const [next] = this.#waiting
    if (next === undefined) {
      this.#running -= 1
      return
    }
    const [name, start] = next
    this.#waiting.delete(name)
    start()
  }
}
