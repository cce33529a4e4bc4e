export const HOUR_MS = 3_600_000

/** A day of 24 hours in milliseconds, as every day in UTC has them. */
export const DAY_MS = 24 * HOUR_MS

export function hourAt(atMs: number): number {
  return Math.floor(atMs / HOUR_MS)
}

export function dayAt(atMs: number): number {
  return Math.floor(atMs / DAY_MS)
}
