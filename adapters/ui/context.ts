import type { ManagementErrorCode, WireKey } from '../client/index.ts'
import type { Source, TabClient } from './calls/client.ts'
import type { Action, Change, Failure } from './calls/failure.ts'
import type { Locale } from './format/locale.ts'
import type { Catalogue } from './list/catalogue.ts'
import type { KeyList } from './list/key-list.ts'
import type { MessageId, MessageValues } from './strings/messages.ts'
import type { ApiKeysTabEvents } from './tab/events.ts'
import type { ApiKeysTabSettings } from './tab/settings.ts'

/** What every part draws from: made anew whenever the tab draws. */
export interface Context {
  readonly locale: Locale
  readonly settings: Readonly<ApiKeysTabSettings>
  readonly list: KeyList
  readonly catalogue: Catalogue
  readonly notice: Failure | null
  /** The id of what says why no key can be created now, if anything does; `null` when one can. */
  readonly block: { readonly reason: string | null } | null
  readonly waiting: boolean
  readonly may: (action: Action) => boolean
  readonly shell: Shell
}

/** What parts tell the tab. It listens also after a part has left the page. */
export interface Shell {
  /** Whether the page still has the tab. */
  readonly isConnected: boolean
  /** Where the keys come from, and how; anew after a change of either. */
  readonly source: Source
  readonly client: TabClient
  /** Says a sentence to screen readers. */
  say(id: MessageId, values?: MessageValues): void
  /** Focuses the first of these that is there once all is drawn. */
  focusOn(...selectors: string[]): void
  /** The same where nothing is to be focused yet: what had the focus has gone. */
  catchFocus(...selectors: string[]): void
  /** Says something to the page; answers whether it lets the tab go on. */
  emit<Type extends keyof ApiKeysTabEvents>(type: Type, detail: ApiKeysTabEvents[Type]): boolean
  /** Says above the list what went wrong, or takes it away. */
  notify(failure: Failure | null): void
  /** A dialog opens: what was said above the list is over, unless it must be looked after. */
  moveOn(): void
  keep(key: WireKey, isNew?: boolean): void
  /** Loads the list again; `again` after a failure: then the focus goes to the message, or to the list. */
  reload(again?: boolean): Promise<void>
  create(): void
  loadScopes(anew?: boolean): void
  /** A call was refused: what follows for the whole tab, and what is left to say about it. */
  refused(error: unknown, change: Change): Failure | null
  /** Whether a call failed because the user is not signed in any more: what it was for is over then. */
  signedOut(error: unknown): boolean
  open(what: Opening, key: WireKey): void
  /** The list could not be loaded, or no more of it. */
  listFailed(code: ManagementErrorCode, error: unknown): void
  /** The session is in another workspace: all begins anew. */
  changeWorkspace(): void
  /** Something is to be drawn anew. */
  changed(): void
}

export type Opening = 'details' | 'edit' | 'rotate' | 'revoke' | 'pause' | 'resume'
