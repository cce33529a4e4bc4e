import type { ApiKeysTabEvents } from '../events.ts'
import type { Locale } from '../format/locale.ts'
import type { ApiKeysTabSettings } from '../settings.ts'
import type { TabClient } from './checked-client.ts'
import type { Action, Failure, Sentence } from './failure.ts'
import type { KeySource } from './key-source.ts'
import type { ScopeCatalogue } from './scope-catalogue.ts'

/** What the pieces of state may ask of the element that holds them. */
export interface Host {
  readonly management: TabClient
  readonly settings: Readonly<ApiKeysTabSettings>
  /** The scopes that a key may carry. */
  readonly catalogue: ScopeCatalogue
  /** Where the keys come from now. */
  readonly source: KeySource
  readonly locale: Locale
  /** Whether a secret that was not copied asks once before it goes. */
  readonly guardsDismissal: boolean
  readonly isConnected: boolean
  requestUpdate(): void
  /** What a `not_grantable` answer says is too much, in words. */
  beyond(error: unknown): string
  /** Says a sentence through the live region that is exposed. */
  announce(sentence: string): void
  /**
   * Moves the focus, once the next rendering is done, to the first of these that is there. Never out
   * of a field of the page.
   */
  focusOn(...selectors: string[]): void
  /** Returns false when a listener prevented the default. */
  emit<Type extends keyof ApiKeysTabEvents>(type: Type, detail: ApiKeysTabEvents[Type]): boolean
  /** Says something above the list, in place of what was said there before. */
  notify(notice: Failure | null): void
  /** The user turns to something else: what was said goes, unless it says what to look for. */
  moveOn(): void
  /** The server says that the user may not do this: it is not offered again. */
  refuse(action: Action): void
  /** The server no longer knows the user: the session has ended, and this action was not done. */
  expireSession(action?: Action): void
  /** The session is in another workspace by now; `leads` say what did not happen because of it. */
  changeWorkspace(leads?: readonly Sentence[]): void
}

/** Selectors of the places that the focus goes to. */
export const places = {
  newKey: '#new-key',
  alert: 'dialog[open] [role=alert]',
  session: '#session-panel',
  notice: '#notice',
  retry: '#retry',
  search: '#search',
  ended: '#ended',
  filter: '[data-filter][aria-pressed=true]',
  /** Where the focus goes when nothing nearer is left. */
  top: ['#title', '#root'],
  copy: (id: number) => `#copy-${id}`,
  copyAndDismiss: (id: number) => `#dismiss-copy-${id}`,
  row: (id: string) => `[data-row="${CSS.escape(id)}"]`,
  menu: (id: string) => `[data-menu="${CSS.escape(id)}"]`,
}
