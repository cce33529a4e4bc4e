import { propertyOf } from '../../../../src/lib/property.ts'
import { refusals } from './refusals.ts'

/** One secret that GitHub found. */
export interface Alert {
  readonly token: string
  readonly type: string | null
  readonly url: string | null
  readonly source: string | null
}

/** The alerts of a delivery. */
export interface Alerts {
  readonly alerts: readonly Alert[]
  /** How many more have no token. */
  readonly unreadable: number
}

/**
 * The alerts of a body. Only the token is needed: other fields and other entries of the list, missing
 * or malformed, must not keep a key from being revoked. Refuses a body that is not JSON in UTF-8
 * (400), that is not a list, and a list without any token (422).
 */
export function parseAlerts(bytes: Uint8Array): Alerts {
  const list = parse(bytes)
  if (!Array.isArray(list)) throw refusals.notAlerts()
  const alerts = list.flatMap((item: unknown) => alertOf(item) ?? [])
  const unreadable = list.length - alerts.length
  if (alerts.length === 0 && unreadable > 0) throw refusals.notAlerts()
  return { alerts, unreadable }
}

function alertOf(item: unknown): Alert | null {
  if (typeof item !== 'object' || item === null) return null
  const fields: Readonly<Record<string, unknown>> = { ...item }
  const token = textIn(fields, 'token')
  if (token === null) return null
  const [type, url, source] = ['type', 'url', 'source'].map((name) => textIn(fields, name))
  return { token, type: type ?? null, url: url ?? null, source: source ?? null }
}

function textIn(fields: Readonly<Record<string, unknown>>, name: string): string | null {
  const value = propertyOf(fields, name)
  return typeof value === 'string' && value !== '' ? value : null
}

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    throw refusals.badBody()
  }
}
