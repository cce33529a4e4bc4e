/** 7 days and 1 day, in milliseconds. */
const LEADS_MS = [604_800_000, 86_400_000] as const

/** When a key was revoked before its overlap was over, as SQL; null if it was not. */
export function earlyRevocation(row: string): string {
  return `nullif(${row}.revoked_at_ms, ${row}.retires_at_ms)`
}

/**
 * `nextNoticeAt` for a changed key, as every database writes it; null for none. `row` is the key, and
 * `after` the instant of the change.
 */
export function nextNotice(row: string, after: string): string {
  const leads = LEADS_MS.map(
    (lead) => `WHEN ${row}.expires_at_ms - ${lead} > ${after} THEN ${row}.expires_at_ms - ${lead}`,
  )
  return `CASE WHEN ${earlyRevocation(row)} IS NOT NULL THEN NULL
    WHEN ${row}.retires_at_ms IS NOT NULL THEN ${row}.retires_at_ms
    ${leads.join('\n    ')}
    ELSE ${row}.expires_at_ms END`
}
