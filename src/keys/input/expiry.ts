import * as z from 'zod/mini'
import { MIN_LIFETIME_S } from '../../plans/entitlements.ts'
import { refuse } from './refuse.ts'

/** The end of the year 9999, beyond which RFC 3339 cannot write an instant. */
export const LATEST_EXPIRY_MS = Date.UTC(10_000, 0, 1) - 1

const text = z.iso.datetime({ offset: true })

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
      if (atMs < nowMs() + MIN_LIFETIME_S * 1_000 || atMs > LATEST_EXPIRY_MS) {
        const message = `must be at least ${MIN_LIFETIME_S} seconds ahead and at most in the year 9999.`
        return refuse(context, { code: 'out_of_range', message })
      }
      return new Date(atMs)
    }),
  )
}

/** In milliseconds since the epoch; `NaN` for what is no instant. */
function instantOf(input: unknown): number {
  if (typeof input === 'string')
    return text.safeParse(input).success ? Date.parse(input) : Number.NaN
  try {
    // Not the method that the object has: it could answer differently each time.
    return Date.prototype.getTime.call(input)
  } catch {
    return Number.NaN
  }
}
