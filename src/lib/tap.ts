/**
 * Wraps a function of the host that only listens: what it throws or rejects with is ignored, since
 * it must not turn what has already happened into an error.
 */
export function silenced<T>(tap: ((told: T) => void) | undefined): (told: T) => void {
  return (told) => {
    try {
      // To TypeScript, an async function may stand in for one that returns nothing.
      Promise.resolve<unknown>(tap?.(told)).catch(() => {})
    } catch {}
  }
}
