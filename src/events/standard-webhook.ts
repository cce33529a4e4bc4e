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
 *
 * @example
 * ```ts
 * import { type AuditEvent } from 'miftah'
 * import { toStandardWebhook } from 'miftah/events'
 * import { Webhook } from 'standardwebhooks'
 *
 * const webhook = new Webhook('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw')
 * const send = async (event: AuditEvent, signal: AbortSignal) => {
 *   const { id, timestamp, payload } = toStandardWebhook(event)
 *   const headers = {
 *     'content-type': 'application/json',
 *     'webhook-id': id,
 *     'webhook-timestamp': String(Math.floor(timestamp.getTime() / 1_000)),
 *     'webhook-signature': webhook.sign(id, timestamp, payload),
 *   }
 *   const request = { method: 'POST', headers, body: payload, signal }
 *   const { ok } = await fetch('https://example.com/hook', request)
 *   if (!ok) throw new Error('the receiver has not taken it')
 * }
 * typeof send //=> 'function'
 * ```
 */
export function toStandardWebhook(event: AuditEvent, sentAt = new Date()): StandardWebhook {
  const { id, type, at, workspaceId, keyId, actor, data } = event
  const body = { type, timestamp: at.toISOString(), data: { workspaceId, keyId, actor, ...data } }
  return Object.freeze({ id, timestamp: sentAt, payload: JSON.stringify(body) })
}
