/** Calls a function of the host and ignores what it throws or rejects with. */
export function tell<T>(tap: ((told: T) => unknown) | undefined, told: T): void {
  try {
    Promise.resolve(tap?.(told)).catch(() => {})
  } catch {}
}
