import * as z from 'zod/mini'

/** The name of a time zone that the runtime knows, such as `Asia/Riyadh`. */
export const timeZoneSchema = z
  .string()
  .check(z.refine(isTimeZone, { message: 'must be the name of a time zone, such as Asia/Riyadh.' }))

/** Longer than every name in the IANA time zone database. */
const MAX_LENGTH = 64

function isTimeZone(name: string): boolean {
  if (name.length > MAX_LENGTH) return false
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}
