import { unref } from '../lib/within-time.ts'

/** What the protocol asks of the machine that it runs on. */
export interface Machine {
  /** A clock that nobody can set and that goes on while the process is stopped. */
  monotonicMs(): number
  /** The clock of the system, which goes on while the machine is suspended. */
  wallMs(): number
  /** A random number from 0 to less than 1. */
  random(): number
  /** Runs work later without keeping the process alive; returns how to cancel it. */
  after(delayMs: number, work: () => void): () => void
  /** Resolves later, and keeps the process alive until then. */
  sleep(delayMs: number): Promise<void>
}

/** The machine of this process. */
export const thisMachine: Machine = {
  monotonicMs: () => performance.now(),
  wallMs: () => Date.now(),
  random: () => Math.random(),
  after: (delayMs, work) => {
    const timer = setTimeout(work, delayMs)
    unref(timer)
    return () => clearTimeout(timer)
  },
  sleep: (delayMs) => new Promise((resolve) => setTimeout(resolve, delayMs)),
}
