import type { KeyStorage } from '../../../src/storage/index.ts'

/** What a guide calls `./my-storage.ts`: the reader's own file. */
export declare function openFreshStorage(): Promise<KeyStorage>
