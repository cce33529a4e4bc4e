import * as z from 'zod/mini'
import { refuse } from './refuse.ts'

/** The end of the year 9999, beyond which RFC 3339 cannot write an instant. */
export const LATEST_INSTANT_MS = Date.UTC(10_000, 0, 1) - 1

/** The beginning of the year 0000. */
const EARLIEST_INSTANT_MS = -62_167_219_200_000

// Without `z.iso`, which brings dates, times and durations along.
const text = new z.ZodMiniISODateTime({
  ...{ type: 'string', check: 'string_format', format: 'datetime' },
  ...{ offset: true, local: false, precision: null },
})

/** An instant: a `Date`, or RFC 3339 text with an offset. It comes out in milliseconds since the epoch. */
export const instantSchema = z.pipe(
  z.unknown(),
  z.transform((input: unknown, context): number => {
    const atMs = instantOf(input)
    if (atMs >= EARLIEST_INSTANT_MS && atMs <= LATEST_INSTANT_MS) return atMs
    const message = 'must be an instant with an offset.'
    return refuse(context, { code: 'invalid_value', message })
  }),
)

/**
 * When something happened: a `Date` or RFC 3339 text, from the year 0000 to `nowMs()`. It comes out as a
 * `Date`.
 */
export function pastSchema(nowMs: () => number) {
  return z.pipe(
    z.unknown(),
    z.transform((input: unknown, context): Date => {
      const atMs = instantOf(input)
      // Not negated: NaN is no instant either.
      if (atMs >= EARLIEST_INSTANT_MS && atMs <= nowMs()) return new Date(atMs)
      const message = 'must be an instant in the past, in the year 0000 or later.'
      return refuse(context, { code: 'invalid_value', message })
    }),
  )
}

/** In milliseconds since the epoch; `NaN` for anything but an instant. */
export function instantOf(input: unknown): number {
  if (typeof input === 'string')
    return text.safeParse(input).success ? Date.parse(input) : Number.NaN
  try {
    // Not the object's own method, which could return something else each time.
    return Date.prototype.getTime.call(input)
  } catch {
    return Number.NaN
  }
}
