/**
 * Calls a function of the host that only listens: what it throws or rejects with is ignored, since it must
 * not turn what has already happened into an error.
 */
export function notify<T>(listener: ((value: T) => unknown) | undefined, value: T): void {
  try {
    Promise.resolve(listener?.(value)).catch(() => {})
  } catch {}
}

export function silenced<T>(listener: ((value: T) => unknown) | undefined): (value: T) => void {
  return (value) => notify(listener, value)
}
