import * as z from 'zod/mini'
import { MIN_LIFETIME_S } from '../../plans/entitlements.ts'
import { instantOf, LATEST_INSTANT_MS } from './instant.ts'
import { refuse } from './refuse.ts'

/**
 * When a key is to expire: a `Date`, or RFC 3339 text with an offset as a body from outside has it;
 * `null` for never. It comes out as a `Date` at least 60 seconds after `nowMs()`.
 */
export function expirySchema(nowMs: () => number) {
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
      if (atMs < nowMs() + MIN_LIFETIME_S * 1_000 || atMs > LATEST_INSTANT_MS) {
        const message = `must be at least ${MIN_LIFETIME_S} seconds ahead and at most in the year 9999.`
        return refuse(context, { code: 'out_of_range', message })
      }
      return new Date(atMs)
    }),
  )
}
