import * as z from 'zod/mini'
import { instantOf } from './instant.ts'
import { refuse } from './refuse.ts'

/**
 * How long ago what is purged must be. A change whose answer was lost is repeated for seconds, and recognised
 * by the key or the event that it stored.
 */
const MIN_AGE_MS = 3_600_000

/** An instant in the past, as a `Date`. It comes out as one of its own. */
function pastSchema(nowMs: () => number) {
  return z.pipe(
    z.unknown(),
    z.transform((input: unknown, context): Date => {
      const atMs = typeof input === 'string' ? Number.NaN : instantOf(input)
      if (Number.isNaN(atMs)) {
        return refuse(context, { code: 'invalid_type', message: 'must be a date.' })
      }
      if (atMs > nowMs() - MIN_AGE_MS) {
        return refuse(context, { code: 'out_of_range', message: 'must be at least an hour ago.' })
      }
      return new Date(atMs)
    }),
  )
}

/** The fields of a purge. */
export function purgeFields(nowMs: () => number) {
  const instant = z.optional(pastSchema(nowMs))
  return { endedBefore: instant, eventsBefore: instant }
}

/** Whether a purge says what to delete. */
export const isAnyPurge = z.refine<Readonly<Record<string, unknown>>>(
  ({ endedBefore, eventsBefore }) => endedBefore !== undefined || eventsBefore !== undefined,
  { message: 'needs endedBefore, eventsBefore or both.', params: { code: 'required' } },
)
