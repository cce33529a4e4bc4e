import type { CreateKeyBody, ManagementErrorCode, WireKey } from '../../client/index.ts'

/** What key events say about a key. Never its secret. */
export type KeyEventDetail = Pick<WireKey, 'id' | 'name' | 'environment' | 'scopes'>

/** What a key is about to be created with. */
export type BeforeCreateDetail = Pick<CreateKeyBody, 'name' | 'environment' | 'scopes'>

/** The events of the tab and their details. All of them bubble and are composed. */
export interface ApiKeysTabEvents {
  /** The list was loaded or refreshed. */
  'api-keys-load': {
    /** How many keys the list shows so far. */
    readonly count: number
    /** How many keys of the workspace are active. */
    readonly active: number
  }
  /** The list could not be loaded or refreshed. */
  'api-keys-error': {
    /** Why. */
    readonly code: ManagementErrorCode
    /** What to quote to support, if the answer named it. */
    readonly requestId: string | null
  }
  /** A key was created. */
  'api-key-created': KeyEventDetail
  /** A key was rotated; the detail is about its replacement. */
  'api-key-rotated': KeyEventDetail
  /** A key was revoked. */
  'api-key-revoked': KeyEventDetail
  /** The name, the scopes or the expiry of a key was changed. */
  'api-key-updated': KeyEventDetail
  /** A key was paused. */
  'api-key-paused': KeyEventDetail
  /** A paused key works again. */
  'api-key-resumed': KeyEventDetail
  /** A key is about to be created. Cancelable: then nothing is sent, and the dialog stays. */
  'before-create': BeforeCreateDetail
  /** A key is about to be rotated. Cancelable: then nothing is sent, and the dialog stays. */
  'before-rotate': KeyEventDetail
  /** A key is about to be revoked. Cancelable: then nothing is sent, and the dialog stays. */
  'before-revoke': KeyEventDetail
  /** A secret was copied with its Copy button or by hand. */
  'api-key-copied': {
    /** The id of the key. */
    readonly id: string
  }
  /** An uncopied secret has come on screen, or the last one has been copied or has gone. */
  'pending-secret-change': {
    /** Whether a secret is on screen that was not copied yet. */
    readonly pending: boolean
  }
  /** Upgrade was chosen. Cancelable: a host that routes itself prevents the link. */
  upgrade: {
    /** Whether the plan has no public API, or no room for another key. */
    readonly reason: 'capability' | 'limit'
  }
  /**
   * The server answered 401 (`response`), or Sign in was chosen (`sign-in`). Cancelable: preventing
   * the second one keeps the tab from following `login-url`, or from reloading the page without one.
   */
  'session-expired': {
    /** Whether a 401 response or the Sign in button triggered the event. */
    readonly trigger: 'response' | 'sign-in'
  }
}

/** The part of a key that events may carry. */
export function eventDetailOf({ id, name, environment, scopes }: WireKey): KeyEventDetail {
  return { id, name, environment, scopes }
}
