/** The largest number in a response header (RFC 9651 §3.3.1); `createApiKeys` refuses answers beyond it. */
export const MAX_COUNT = 999_999_999_999_999

/** About 31 years. In a longer window, what comes back between two calls is lost in rounding. */
export const MAX_WINDOW_S = 1_000_000_000

/** Whether a value is a number within bounds. */
export function isWithin(value: unknown, least: number, most: number): value is number {
  return typeof value === 'number' && value >= least && value <= most
}
