import { ManagementError } from '../../client/index.ts'
import type { MessageId, MessageValues } from '../strings/messages.ts'

/** What the user asked for. */
export type Action = 'create' | 'rotate' | 'revoke'

/** A sentence that says what happened and what to do. */
export interface Failure {
  readonly id: MessageId
  readonly values?: MessageValues
  /** Whether the list may be out of date, so that refreshing it is offered. */
  readonly refresh?: boolean
}

/** Guessed when a server refuses for haste without saying for how long. */
const retrySeconds = 10

/** Whether the key was found to be gone or revoked by somebody else. */
export function isGone(error: unknown): boolean {
  return (
    error instanceof ManagementError &&
    (error.code === 'key_not_found' || error.code === 'key_revoked')
  )
}

/** Whether the server asks for a sign-in. */
export function isSignedOut(error: unknown): boolean {
  return error instanceof ManagementError && error.code === 'unauthenticated'
}

/** The sentence for an action that failed. */
export function failureOf(error: unknown, action: Action): Failure {
  if (!(error instanceof ManagementError)) return lostAnswer(action)
  switch (error.code) {
    case 'active_key_limit_reached':
      return { id: 'e.limit' }
    case 'plan_required':
      return { id: 'e.capability' }
    case 'forbidden':
      return { id: 'e.forbidden' }
    case 'rate_limited':
      return { id: 'e.rate', values: { n: error.retryAfterSeconds ?? retrySeconds } }
    case 'network':
      return { id: 'e.network' }
    case 'unknown_outcome':
      return lostAnswer(action)
    default:
      return (error.status ?? 0) >= 500 ? lostAnswer(action) : { id: 'e.generic', refresh: true }
  }
}

/**
 * A change whose answer never came, or came as a server fault, may have happened. Revoking is
 * harmless to repeat, so it gets the plain sentence.
 */
export function lostAnswer(action: Action): Failure {
  if (action === 'create') return { id: 'e.unknown.create', refresh: true }
  if (action === 'rotate') return { id: 'e.unknown.rotate', refresh: true }
  return { id: 'e.generic', refresh: true }
}
