import { memoryStorage } from '../../../adapters/storage/memory.ts'
import { createApiKeys, plans } from '../../../src/index.ts'

/** What a guide calls `./keys.ts`: the reader's own file. */
export const keys = createApiKeys({ storage: memoryStorage(), entitlements: () => plans.business })
