import * as z from 'zod/mini'
import { refusals } from '../lib/secret-scanning/refusals.ts'

/** Fields that GitHub may add are passed over: a new one must not keep keys from being revoked. */
const ALERTS = z.array(
  z.object({
    token: z.string(),
    type: z.string(),
    url: z.nullish(z.string()),
    source: z.nullish(z.string()),
  }),
)

/** One find of GitHub's. */
export interface Alert {
  readonly token: string
  readonly type: string
  readonly url: string | null
  readonly source: string | null
}

/** The alerts of a body. Refuses what is not JSON in UTF-8 (400) and no list of alerts (422). */
export function parseAlerts(bytes: Uint8Array): readonly Alert[] {
  const { success, data } = ALERTS.safeParse(parse(bytes))
  if (!success) throw refusals.notAlerts()
  return data.map(({ token, type, url, source }) => ({
    token,
    type,
    url: url || null,
    source: source || null,
  }))
}

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    throw refusals.badBody()
  }
}
