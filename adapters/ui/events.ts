import type { ManagementErrorCode, WireKey } from '../client/index.ts'

/** What key events say about a key. Never its secret. */
export type KeyEventDetail = Pick<WireKey, 'id' | 'name' | 'environment' | 'scopes'>

/** The events of the tab and their details. All of them bubble and are composed. */
export interface ApiKeysTabEvents {
  /** The list was loaded or refreshed. */
  'api-keys-load': { readonly count: number; readonly active: number }
  /** The list could not be loaded or refreshed. */
  'api-keys-error': { readonly code: ManagementErrorCode; readonly requestId: string | null }
  'api-key-created': KeyEventDetail
  /** Speaks of the replacement. */
  'api-key-rotated': KeyEventDetail
  'api-key-revoked': KeyEventDetail
  'api-key-copied': { readonly id: string }
  /** Whether a secret is on screen that was not copied yet. */
  'pending-secret-change': { readonly pending: boolean }
  /** Upgrade was chosen. Cancelable: a host that routes itself prevents the link. */
  upgrade: { readonly reason: 'capability' | 'limit' }
  /**
   * The server answered 401 (`response`), or Sign in was chosen (`sign-in`). Cancelable: preventing
   * the second one keeps the tab from following `login-url`, or from reloading the page without one.
   */
  'session-expired': { readonly trigger: 'response' | 'sign-in' }
}

/** The part of a key that events may carry. */
export function eventDetailOf({ id, name, environment, scopes }: WireKey): KeyEventDetail {
  return { id, name, environment, scopes }
}
