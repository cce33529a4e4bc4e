import type { HTMLAttributes } from 'react'
import type { ApiKeysTab, ApiKeysTabEvents, ApiKeysTabProps as TagProps } from '../ui/index.ts'
import type { ApiKeysTabSettings } from '../ui/tab/settings.ts'

/** The element `<api-keys-tab>`, which the component's `ref` gives. */
export type ApiKeysTabElement = ApiKeysTab

/** The name of an event as React writes it: `api-key-created` is `ApiKeyCreated`. */
type Pascal<Name extends string> = Name extends `${infer First}-${infer Rest}`
  ? `${Capitalize<First>}${Pascal<Rest>}`
  : Capitalize<Name>

/** A prop for each event of the tab: `onApiKeyCreated` handles `api-key-created`. */
export type ApiKeysTabHandlers = {
  [Type in keyof ApiKeysTabEvents as `on${Pascal<Type>}`]?:
    | ((event: CustomEvent<ApiKeysTabEvents[Type]>) => void)
    | undefined
}

/**
 * The props of the component: the settings of the tab, where an absent one is its default, handlers of
 * its events, and the attributes and children of an HTML element.
 */
export type ApiKeysTabProps = Pick<TagProps, keyof ApiKeysTabSettings> &
  ApiKeysTabHandlers &
  HTMLAttributes<ApiKeysTabElement>

/** The prop of each event. */
export const handlerOf = {
  'api-keys-load': 'onApiKeysLoad',
  'api-keys-error': 'onApiKeysError',
  'api-key-created': 'onApiKeyCreated',
  'api-key-rotated': 'onApiKeyRotated',
  'api-key-revoked': 'onApiKeyRevoked',
  'api-key-updated': 'onApiKeyUpdated',
  'api-key-paused': 'onApiKeyPaused',
  'api-key-resumed': 'onApiKeyResumed',
  'before-create': 'onBeforeCreate',
  'before-rotate': 'onBeforeRotate',
  'before-revoke': 'onBeforeRevoke',
  'api-key-copied': 'onApiKeyCopied',
  'pending-secret-change': 'onPendingSecretChange',
  upgrade: 'onUpgrade',
  'session-expired': 'onSessionExpired',
} as const satisfies { readonly [Type in keyof ApiKeysTabEvents]: `on${Pascal<Type>}` }
