/**
 * Defines `<api-keys-tab>` unless it is defined: a page imports this for its effect and writes the tag.
 * On a server it does nothing. The attributes, slots, parts, custom properties and states of the tab are
 * listed in `custom-elements.json` of the package.
 *
 * @module miftah/settings-tab
 */

import { ListBar } from './list/bar.ts'
import { KeysTable } from './list/table.ts'
import { defineParts } from './part.ts'
import { ApiKeysTabElement } from './tab/element.ts'
import type { ApiKeysTabEvents } from './tab/events.ts'
import type { ApiKeysTabState } from './tab/model.ts'
import type { ApiKeysTabSettings } from './tab/settings.ts'

export type {
  KeyListAnswer,
  ManagementClient,
  ManagementErrorCode,
  ScopesAnswer,
  WireKey,
  WireScopeGroup,
} from '../client/index.ts'
export type { TabClient } from './calls/client.ts'
export type {
  Message,
  MessageId,
  Messages,
  PluralMessage,
  StringOverrides,
} from './strings/messages.ts'
export type { ApiKeysTabEvents, BeforeCreateDetail, KeyEventDetail } from './tab/events.ts'
export type { ApiKeysTabState } from './tab/model.ts'
export type { ApiKeysTabSettings } from './tab/settings.ts'

/** The element `<api-keys-tab>`: its settings, what it can be asked, and its typed events. */
export interface ApiKeysTab extends HTMLElement, ApiKeysTabSettings {
  /** Whether a secret is on screen that was not copied yet: a page can ask before it leaves. */
  readonly hasPendingSecret: boolean
  /** How many keys of the workspace are active, as last loaded. */
  readonly activeCount: number
  /** What the list area shows. */
  readonly state: ApiKeysTabState
  /** Settles when the latest change is drawn. */
  readonly updateComplete: Promise<boolean>
  /**
   * Loads the list again; shown keys and secrets stay in place meanwhile. Resolves even if
   * loading fails; listen to `api-keys-error` for failures.
   */
  refresh(): Promise<void>
  /** Opens the create dialog, if a key can be created now. */
  openCreate(): void
  /** Opens the details of a key; resolves to whether there is such a key. */
  openDetails(id: string): Promise<boolean>
  /** The id of the key whose menu or details are open. */
  readonly openKey: string | null
  /** Listens to an event of the tab, or to one that every element has, with its type. */
  addEventListener<Type extends keyof ApiKeysTabEventMap>(
    type: Type,
    listener: (this: ApiKeysTab, event: ApiKeysTabEventMap[Type]) => unknown,
    options?: boolean | AddEventListenerOptions,
  ): void
  /** Listens to any other event. */
  addEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject,
    options?: boolean | AddEventListenerOptions,
  ): void
}

/** The events of the tab, and those that every element has. */
export type ApiKeysTabEventMap = HTMLElementEventMap & {
  [Type in keyof ApiKeysTabEvents]: CustomEvent<ApiKeysTabEvents[Type]>
}

/**
 * What a JSX tag of the tab takes: settings as properties, `undefined` and `null` for the default, and
 * its events as React 19 and Preact name them for custom elements, `on` followed by the event's own
 * name.
 */
export type ApiKeysTabProps = {
  [Name in keyof ApiKeysTabSettings]?: ApiKeysTabSettings[Name] | null | undefined
} & {
  [Type in keyof ApiKeysTabEvents as `on${Type}`]?: (
    event: CustomEvent<ApiKeysTabEvents[Type]>,
  ) => void
}

/**
 * The class of `<api-keys-tab>`: a class of your own that extends it can have a tag name of its own. On a
 * server it can be imported, but not made.
 *
 * @example
 * ```ts
 * import { ApiKeysTab } from 'miftah/settings-tab'
 *
 * customElements.define('acme-api-keys', class extends ApiKeysTab {})
 * ```
 */
export const ApiKeysTab: {
  /** Makes a tab with the default settings. Throws a `TypeError` before a tag is defined for it. */
  new (): ApiKeysTab
  /** What all tabs share. */
  prototype: ApiKeysTab
} = ApiKeysTabElement

defineParts({
  'api-keys-bar': ListBar,
  'api-keys-table': KeysTable,
  'api-keys-tab': ApiKeysTab,
})

declare global {
  interface HTMLElementTagNameMap {
    'api-keys-tab': ApiKeysTab
  }
}
