import { nextTurn, unref } from './within-time.ts'

export interface PollLoopOptions {
  /** How long to pause after a round that leaves nothing to do, in milliseconds. */
  readonly pollMs: number
  /** Does what there is to do, and returns whether there may be more. */
  readonly round: () => Promise<boolean>
  /** Called when a round has failed; a pause follows. */
  readonly onError: (error: unknown) => void
}

/** Runs rounds of work, one after the other, until it is stopped. */
export class PollLoop {
  readonly #options: PollLoopOptions
  #isStopped = false
  #wake: () => void = () => {}

  constructor(options: PollLoopOptions) {
    this.#options = options
  }

  get isStopped(): boolean {
    return this.#isStopped
  }

  /** Ends the pause, or lets the round under way be the last. */
  stop(): void {
    this.#isStopped = true
    this.#wake()
  }

  /** Resolves when the last round has ended. */
  async run(): Promise<void> {
    while (!this.#isStopped) {
      const mayBeMore = await this.#round()
      // A storage that answers synchronously would block the process until nothing is left.
      if (!this.#isStopped) await (mayBeMore ? nextTurn() : this.#pause())
    }
  }

  async #round(): Promise<boolean> {
    const { round, onError } = this.#options
    try {
      return await round()
    } catch (error) {
      onError(error)
      return false
    }
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, this.#options.pollMs)
      unref(timer)
      this.#wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }
}
