import { memoryStorage } from '../../../adapters/storage/memory.ts'

/** What a guide calls `./storage.ts`: the reader's own file. */
export const storage = memoryStorage()
