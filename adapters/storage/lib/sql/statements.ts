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
export type Words<Text extends string> = Text extends `${infer First} ${infer Rest}`
  ? First | Words<Rest>
  : Text

type Name =
  | Words<'keyByHash keyById isKey keyPosition purgedKey activeKeys retiringKeys'>
  | Words<'expiredTo lastExpired noteExpired noteFirstExpired'>
  | Words<'insertKey updateKey endKey revokeKey writeRow removeRow'>
  | Words<'advanceWriter forgetWriters storedHistory keepHours'>
  | Words<'forgetHours forgetDays hoursOfKey hoursOfWorkspace daysOfKey daysOfWorkspace'>
  | Words<'insertEvent eventPosition oldestEvents newestEvents oldestEventsOfKey newestEventsOfKey'>
  | Words<'anyPending takeLease pendingEvents leaseOf endLease'>
  | Words<'dueNotices isNoticeDue moveNotice endNotice'>
  | Words<'eraseInKeys eraseInEvents anyKeyOfPerson anyEventOfPerson'>
  | Words<'isErased closeKnownWorkspace closeUnknownWorkspace revokeKeys anyLivingKeyOf'>
  | Words<'deadKeysOf acknowledgedEventsOf forgetPurged deadKeys acknowledgedEvents'>

/** The statements that the work in this folder is made of. Those of SQLite show what each of them does. */
export type SqlStatements = Readonly<Record<Name, SqlStatement>> & {
  readonly pages: Pages
} & SqlBatches

/** A row that is to be deleted. */
export interface DeletedRow {
  readonly id: string
  readonly workspaceId: string
  readonly position: number
}

/** Changes of many rows, which a server in another process makes in few statements. */
export interface SqlBatches {
  /** Adds to the usage of keys. */
  readonly addUses: (uses: readonly KeyUses[]) => Work<void>
  /** Adds counts to the history, each to its hour and to its day. */
  readonly addCounts: (counts: readonly StorableCount[]) => Work<void>
  /** Deletes keys and what belongs to them. Throws unless each is there. */
  readonly deleteKeys: (rows: readonly DeletedRow[]) => Work<void>
  /** Deletes events. Throws unless each is there. */
  readonly deleteEvents: (rows: readonly DeletedRow[]) => Work<void>
  /** Notes where rows were. */
  readonly notePurged: (kind: 'key' | 'event', rows: readonly DeletedRow[]) => Work<void>
  /** Marks events as delivered, and deletes those of erased workspaces. */
  readonly acknowledge: (ids: readonly string[]) => Work<void>
}
