import { beforeEach, vi } from 'vitest'

/** When the time of a test begins: at no edge of an hour, a day or a month. */
const BEGINS_MS = Date.UTC(2026, 5, 15, 12, 30)

/**
 * Gives each test of a file a time of its own: as soon as nothing else can run, the next timer is due.
 * So a wait takes no time, and a busy machine delays nothing. It is no good for what answers from
 * outside of the event loop, such as a server, which would always be late.
 */
export function simulateTime(): void {
  beforeEach(() => {
    vi.useFakeTimers({ now: BEGINS_MS }).setTimerTickMode('nextTimerAsync')
    waitAtLeastOne()
    return () => vi.useRealTimers()
  })
}

/** As Node does: a timer of less than a millisecond would let no time pass, again and again. */
function waitAtLeastOne(): void {
  const wait = globalThis.setTimeout
  const longer = (work: () => void, ms = 1, ...args: []) => wait(work, Math.max(1, ms), ...args)
  // The marks of the one below tell `useRealTimers` what to put back.
  globalThis.setTimeout = Object.assign(longer, wait) as typeof setTimeout
}
