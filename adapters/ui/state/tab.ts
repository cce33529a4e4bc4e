import type { ApiKeysTabSettings } from '../settings.ts'
import type { MessageId } from '../strings/messages.ts'
import type { Confirmation } from './confirmation.ts'
import type { CreateForm } from './create-form.ts'
import type { Failure } from './failure.ts'
import type { Host } from './host.ts'
import type { KeyList } from './key-list.ts'
import type { Reveals } from './reveals.ts'
import type { ScopeCatalogue } from './scope-catalogue.ts'

/** Which keys of the loaded ones are shown. */
export type ListFilter = 'all' | 'active' | 'revoked'

/** What is looked for in the list. */
export interface ListView {
  readonly filter: ListFilter
  readonly search: string
}

/** What the parts read and ask for: the element, seen from inside. */
export interface Tab extends Host {
  readonly list: KeyList
  readonly reveals: Reveals
  readonly form: CreateForm
  readonly confirmation: Confirmation
  readonly catalogue: ScopeCatalogue
  readonly view: ListView
  readonly online: boolean
  /** What is said above the list about the last action or the workspace. */
  readonly notice: Failure | null
  readonly settings: Readonly<ApiKeysTabSettings>
  /** Why no key can be made now: a sentence, or nothing to say; `null` when one can. */
  readonly creationBlock: { readonly reason: MessageId | null } | null
  look(view: Partial<ListView>): void
  openCreate(): void
  refresh(): Promise<void>
  signIn(event: Event): void
  upgrade(event: Event, reason: 'capability' | 'limit'): void
}
