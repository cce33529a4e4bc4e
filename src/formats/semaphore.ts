/** Runs a limited number of jobs at once. The others wait, each under a name of its own. */
export class Semaphore {
  readonly #most: number
  /** Starts each waiting job; in the order in which they arrived. */
  readonly #waiting = new Map<string, () => void>()
  #running = 0

  constructor(most: number) {
    this.#most = most
  }

  /** How many jobs are waiting. */
  get waiting(): number {
    return this.#waiting.size
  }

  /** Runs a job in its turn, which ends when the job settles. */
  async run<T>(name: string, work: () => T | Promise<T>): Promise<T> {
    if (this.#running < this.#most) this.#running += 1
    else await new Promise<void>((start) => this.#waiting.set(name, start))
    try {
      return await work()
    } finally {
      this.#passOn()
    }
  }

  /** Withdraws a job that is still waiting. */
  leave(name: string): void {
    this.#waiting.delete(name)
  }

  /** Gives the turn to the job that has waited longest. */
  #passOn(): void {
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
