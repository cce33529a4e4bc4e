/**
 * A function of the host that is only told things: what it throws or rejects with is ignored, since
 * it must not turn what has happened into an error.
 */
export function silenced<T>(tap: ((told: T) => void) | undefined): (told: T) => void {
  return (told) => {
    try {
      // An async function passes for one that returns nothing.
      Promise.resolve<unknown>(tap?.(told)).catch(() => {})
    } catch {}
  }
}
