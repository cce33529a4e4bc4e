import type { CreateDraft } from '../asks.ts'
import type { Confirmation } from './confirmation.ts'
import type { Action, Failure } from './failure.ts'
import type { Host } from './host.ts'
import type { KeyList } from './key-list.ts'
import type { LazyLoader } from './lazy-loader.ts'
import type { ListView } from './list-view.ts'

/** What the parts read and ask for: the element, seen from inside. */
export interface Tab extends Host {
  readonly list: KeyList
  readonly view: ListView
  readonly confirmation: Confirmation
  /** Search, menus and most dialogs, which come in a file of their own. */
  readonly lazy: LazyLoader
  readonly online: boolean
  /** What the user may not do, by the list and by what the server has refused. */
  readonly refused: ReadonlySet<Action>
  /** What is said above the list about the last action or the workspace. */
  readonly notice: Failure | null
  /** Whether no key can be made now, and the id of the element that says why, if one does. */
  readonly creationBlock: { readonly reason: string | null } | null
  /** Settles when the latest change is drawn. */
  readonly drawn: Promise<unknown>
  openCreate(draft?: CreateDraft): void
  refresh(): Promise<void>
  /** Loads what could not be loaded, again. */
  retry(): Promise<void>
  signIn(event: Event): void
  upgrade(event: Event, reason: 'capability' | 'limit'): void
}
