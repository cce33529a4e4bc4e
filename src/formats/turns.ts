/** Lets a number of pieces of work run at once. The others wait, each by a name of its own. */
export class Turns {
  readonly #most: number
  /** What starts each, in the order in which they came. */
  readonly #waiting = new Map<string, () => void>()
  #running = 0

  constructor(most: number) {
    this.#most = most
  }

  /** How many wait. */
  get waiting(): number {
    return this.#waiting.size
  }

  /** Runs work in its turn, which ends when the work settles. */
  async run<T>(name: string, work: () => T | Promise<T>): Promise<T> {
    if (this.#running < this.#most) this.#running += 1
    else await new Promise<void>((start) => this.#waiting.set(name, start))
    try {
      return await work()
    } finally {
      this.#passOn()
    }
  }

  /** Takes back work that still waits. */
  leave(name: string): void {
    this.#waiting.delete(name)
  }

  /** Gives a turn to the work that has waited longest. */
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
