import * as z from 'zod/mini'
import { MIN_LIFETIME_S } from '../../plans/entitlements.ts'
import { instantOf, LATEST_INSTANT_MS } from './instant.ts'
import { type Problem, refuse } from './refuse.ts'

const OUT_OF_RANGE: Problem = {
  code: 'out_of_range',
  message: `must be at least ${MIN_LIFETIME_S} seconds ahead and at most in the year 9999.`,
}

/** What is wrong with a new expiry, if it is too soon. */
export function soonProblem(expiresAtMs: number, nowMs: number): Problem | null {
  return expiresAtMs < nowMs + MIN_LIFETIME_S * 1_000 ? OUT_OF_RANGE : null
}

/**
 * When a key is to expire: a `Date`, or RFC 3339 text with an offset as a body from outside has it; `null`
 * for never. It comes out as a `Date` at least 60 seconds after `nowMs()`; without a clock, at any time.
 */
export function expirySchema(nowMs: () => number = () => -Infinity) {
  return z.pipe(
    z.unknown().register(z.globalRegistry, { type: ['string', 'null'], format: 'date-time' }),
    z.transform((input: unknown, context): Date | null => {
      if (input === null) return null
      const atMs = instantOf(input)
      if (Number.isNaN(atMs)) {
        return refuse(context, {
          code: 'invalid_value',
          message: 'must be an instant with an offset.',
        })
      }
      const problem = atMs > LATEST_INSTANT_MS ? OUT_OF_RANGE : soonProblem(atMs, nowMs())
      return problem === null ? new Date(atMs) : refuse(context, problem)
    }),
  )
}
