import type { KeyPageQuery, KeyUses } from '../../../../src/storage/index.ts'
import type { StorableCount } from '../storable-storage.ts'
import type { SqlStatement, Work } from './work.ts'

/** The parameters of a page of keys. */
export interface PageValues extends Omit<KeyPageQuery, 'after'> {
  readonly workspaceId: string
  /** The position that all its keys are beyond; `null` for the first page. */
  readonly beyond: number | null
}

/** Reads pages of keys, and counts what they are pages of. */
export interface Pages {
  readonly read: (values: PageValues) => unknown
  readonly count: (values: PageValues) => unknown
}

/** The words of a text. */
type Words<Text extends string> = Text extends `${infer First} ${infer Rest}`
  ? First | Words<Rest>
  : Text

type Name =
  | Words<'keyByHash keyById isKey keyPosition purgedKey activeKeys retiringKeys'>
  | Words<'expiredTo lastExpired noteExpired noteFirstExpired'>
  | Words<'insertKey updateKey endKey revokeKey writeRow removeRow'>
  | Words<'advanceWriter forgetWriters storedHistory keepHours'>
  | Words<'forgetHours forgetDays hoursOfKey hoursOfWorkspace daysOfKey daysOfWorkspace'>
  | Words<'insertEvent eventPosition oldestEvents newestEvents oldestEventsOfKey newestEventsOfKey'>
  | Words<'anyPending takeLease pendingEvents leaseOf endLease acknowledgeEvent deleteErasedEvent'>
  | Words<'dueNotices isNoticeDue moveNotice endNotice'>
  | Words<'eraseInKeys eraseInEvents anyKeyOfPerson anyEventOfPerson'>
  | Words<'isErased closeKnownWorkspace closeUnknownWorkspace revokeKeys anyLivingKeyOf'>
  | Words<'deadKeysOf acknowledgedEventsOf forgetPurged deadKeys acknowledgedEvents'>
  | Words<'deleteKey deleteUsage deleteEvent notePurged'>

/** The statements that the work in this folder is made of. Those of SQLite show what each of them does. */
export type SqlStatements = Readonly<Record<Name, SqlStatement>> & {
  readonly pages: Pages
  /** Adds to the usage of keys. */
  readonly addUses: (uses: readonly KeyUses[]) => Work<void>
  /** Adds counts to the history, each to its hour and to its day. */
  readonly addCounts: (counts: readonly StorableCount[]) => Work<void>
}
