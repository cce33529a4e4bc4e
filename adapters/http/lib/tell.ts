/** Tells a function of the host something; what it throws or rejects with is ignored. */
export function tell<T>(tap: ((told: T) => unknown) | undefined, told: T): void {
  try {
    Promise.resolve(tap?.(told)).catch(() => {})
  } catch {}
}
