/**
 * A function of the host that only listens, made harmless: what it throws or rejects with is ignored, since it must
 * not turn what has already happened into an error.
 */
export function silenced<T>(listener: ((value: T) => unknown) | undefined): (value: T) => void {
  return (value) => {
    try {
      Promise.resolve(listener?.(value)).catch(() => {})
    } catch {}
  }
}
