import { describe, test } from 'vitest'
import type { KeyStorage } from '../../../src/storage/index.ts'
import { erasureCases } from './erasure.ts'
import { expiryCases } from './expiry.ts'
import { importCases } from './import.ts'
import { metadataCases } from './metadata.ts'
import { overlapCases } from './overlap.ts'
import { pauseCases } from './pause.ts'
import { updateCases } from './update.ts'

/** One case, on a fresh and empty storage. */
export type LifecycleCase = (storage: KeyStorage) => Promise<void>

const GROUPS: Readonly<Record<string, Readonly<Record<string, LifecycleCase>>>> = {
  expiry: expiryCases,
  overlap: overlapCases,
  update: updateCases,
  pause: pauseCases,
  metadata: metadataCases,
  import: importCases,
  erasure: erasureCases,
}

/** The cases of a key's life through `createApiKeys`, on the storages that `open` gives. */
export function lifecycleTests<T extends KeyStorage>(
  open: () => T | Promise<T>,
  close: (storage: T) => unknown = () => undefined,
): void {
  for (const [group, cases] of Object.entries(GROUPS)) {
    describe(group, () => {
      for (const [name, run] of Object.entries(cases)) {
        test(name, async () => {
          const storage = await open()
          try {
            await run(storage)
          } finally {
            await close(storage)
          }
        })
      }
    })
  }
}
