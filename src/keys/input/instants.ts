import * as z from 'zod/mini'
import { MIN_LIFETIME_S } from '../../plans/entitlements.ts'
import { described, type Problem, reading } from './parse.ts'

/** The end of the year 9999, beyond which RFC 3339 cannot write an instant. */
export const LATEST_INSTANT_MS = Date.UTC(10_000, 0, 1) - 1

const EARLIEST_INSTANT_MS = -62_167_219_200_000

/**
 * How long ago what is purged must be. A change whose answer was lost is repeated for seconds, and recognised
 * by the key or the event that it stored.
 */
const MIN_AGE_MS = 3_600_000

// Without `z.iso`, which brings dates, times and durations along.
const text = new z.ZodMiniISODateTime({
  ...{ type: 'string', check: 'string_format', format: 'datetime' },
  ...{ offset: true, local: false, precision: null },
})

const NO_INSTANT: Problem = { code: 'invalid_value', message: 'must be an instant with an offset.' }

const OUT_OF_RANGE: Problem = {
  code: 'out_of_range',
  message: `must be at least ${MIN_LIFETIME_S} seconds ahead and at most in the year 9999.`,
}

/** An instant: a `Date`, or RFC 3339 text with an offset. It comes out in milliseconds since the epoch. */
export const instantSchema = reading(z.unknown(), (input, refuse): number => {
  const atMs = instantOf(input)
  return atMs >= EARLIEST_INSTANT_MS && atMs <= LATEST_INSTANT_MS ? atMs : refuse(NO_INSTANT)
})

/** What is wrong with a new expiry, if it is too soon. */
export function soonProblem(expiresAtMs: number, nowMs: number): Problem | null {
  return expiresAtMs < nowMs + MIN_LIFETIME_S * 1_000 ? OUT_OF_RANGE : null
}

/**
 * When a key is to expire: an instant, or `null` for never. It comes out as a `Date` at least 60 seconds after
 * `nowMs()`; without a clock, at any time.
 */
export function expirySchema(nowMs: () => number = () => -Infinity) {
  const schema = described({ type: ['string', 'null'], format: 'date-time' })
  return reading(schema, (input, refuse): Date | null => {
    if (input === null) return null
    const atMs = instantOf(input)
    if (Number.isNaN(atMs)) return refuse(NO_INSTANT)
    const problem = atMs > LATEST_INSTANT_MS ? OUT_OF_RANGE : soonProblem(atMs, nowMs())
    return problem === null ? new Date(atMs) : refuse(problem)
  })
}

/** When something happened: an instant from the year 0000 to `nowMs()`. It comes out as a `Date`. */
export function pastSchema(nowMs: () => number) {
  return reading(z.unknown(), (input, refuse): Date => {
    const atMs = instantOf(input)
    // Not negated: NaN is no instant either.
    if (atMs >= EARLIEST_INSTANT_MS && atMs <= nowMs()) return new Date(atMs)
    const message = 'must be an instant in the past, in the year 0000 or later.'
    return refuse({ code: 'invalid_value', message })
  })
}

/** A `Date` at least an hour before `nowMs()`. It comes out as one of its own. */
export function longAgoSchema(nowMs: () => number) {
  return reading(z.unknown(), (input, refuse): Date => {
    const atMs = typeof input === 'string' ? Number.NaN : instantOf(input)
    if (Number.isNaN(atMs)) return refuse({ code: 'invalid_type', message: 'must be a date.' })
    if (atMs <= nowMs() - MIN_AGE_MS) return new Date(atMs)
    return refuse({ code: 'out_of_range', message: 'must be at least an hour ago.' })
  })
}

/** In milliseconds since the epoch; `NaN` for anything but an instant. */
function instantOf(input: unknown): number {
  if (typeof input === 'string') {
    return text.safeParse(input).success ? Date.parse(input) : Number.NaN
  }
  try {
    // Not the object's own method, which could return something else each time.
    return Date.prototype.getTime.call(input)
  } catch {
    return Number.NaN
  }
}
