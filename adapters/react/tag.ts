import type { HTMLAttributes, RefObject } from 'react'
import type { ApiKeysTab, ApiKeysTabEvents, ApiKeysTabProps as TagProps } from '../ui/index.ts'
import { type ApiKeysTabSettings, defaultSettings, type SettingName } from '../ui/tab/settings.ts'

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

const settingNames = Object.keys(defaultSettings) as SettingName[]
const ownNames = new Set<string>([...settingNames, ...Object.values(handlerOf)])

/** Attributes whose value may be the word `false`. */
const worded = /^(aria-|data-|contentEditable$|draggable$|spellCheck$)/

// React 18 writes `hidden={false}` on a custom element as the text "false", which hides it.
function isWritten([name, value]: readonly [string, unknown]): boolean {
  return !ownNames.has(name) && (value !== false || worded.test(name))
}

/** What React itself does with the props: the attributes and children of the tag. */
export function attributesOf({ className, ...props }: ApiKeysTabProps): object {
  const others = Object.entries(props).filter(isWritten)
  // React 18 knows `className` only on the elements of HTML.
  return { ...Object.fromEntries(others), class: className, 'defer-hydration': '' }
}

/** Sets what has changed since the last props; a setting that is absent now takes its default. */
export function applySettings(
  tab: ApiKeysTabElement,
  last: ApiKeysTabProps,
  next: ApiKeysTabProps,
): void {
  for (const name of settingNames) {
    if (next[name] !== last[name]) Reflect.set(tab, name, next[name] ?? defaultSettings[name])
  }
}

/** Passes the events of the tab on to the latest handlers, until the returned function is called. */
export function listen(tab: ApiKeysTabElement, latest: RefObject<ApiKeysTabProps>): () => void {
  const over = new AbortController()
  for (const [type, name] of Object.entries(handlerOf)) {
    const pass = (event: Event) => latest.current[name]?.(event as CustomEvent<never>)
    tab.addEventListener(type, pass, { signal: over.signal })
  }
  // Settings and listeners are in place: the tab may draw, and make its first call.
  tab.removeAttribute('defer-hydration')
  return () => over.abort()
}
