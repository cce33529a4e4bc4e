import type { KeyStorage } from '../../../src/storage/index.ts'

/** A storage that a process can let go of. */
export type OpenStorage = KeyStorage & { close(): Promise<unknown> }

/** A fresh and empty place for keys, and how to be rid of it. */
export interface Place {
  /** What `openStorage` needs to find it, in any process: a path, a connection string, JSON. */
  readonly target: string
  remove(): Promise<void>
}

/** What a storage exports from one file to be put through the scenarios of this folder. */
export interface StorageModule {
  /** Called once for each run, in the parent process. */
  createPlace(): Promise<Place>
  /** Called in the parent and in every worker process; two calls share no connection. */
  openStorage(target: string): OpenStorage
  /** Whether the stored data is sound in the eyes of the database itself; throws if it is not. */
  checkSound?(target: string): Promise<void>
}
