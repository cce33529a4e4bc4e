import type { AuditEvent } from '../model/audit-event.ts'

/** A message as the libraries of Standard Webhooks sign it. */
export interface StandardWebhook {
  /** The id of the event: the same however often it is sent, so that receivers can tell a repeat. */
  readonly id: string
  /** When it is sent. Receivers refuse a message whose timestamp is minutes away. */
  readonly timestamp: Date
  /** The body. Send it byte for byte: the signature covers these bytes. */
  readonly payload: string
}

/**
 * An event as a message of Standard Webhooks (https://www.standardwebhooks.com): `id`, `timestamp` and
 * `payload` are what its libraries sign, in the headers `webhook-id` and `webhook-timestamp` and the body.
 * The body has `type`, `timestamp` (when it happened) and `data` with everything else. Call it again for each
 * attempt: the timestamp is that of the attempt, `sentAt` or else now.
 */
export function toStandardWebhook(event: AuditEvent, sentAt = new Date()): StandardWebhook {
  const { id, type, at, workspaceId, keyId, actor, data } = event
  const body = { type, timestamp: at.toISOString(), data: { workspaceId, keyId, actor, ...data } }
  return Object.freeze({ id, timestamp: sentAt, payload: JSON.stringify(body) })
}
