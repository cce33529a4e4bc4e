import { test, vi } from 'vitest'
import { storageContract } from '../../adapters/storage/testing/storage-contract.ts'
import { openDocuments } from '../../examples/own-storage/documents.ts'
import type { KeyStorage } from '../../src/storage/index.ts'
import { loader, runSnippet } from '../house/run-snippet.ts'
import { read } from '../house/sources.ts'
import { ENTRIES } from '../support/entries.ts'

/* The storage of examples/own-storage keeps the contract. */

const load = loader(ENTRIES)

const age = async (byMs: number) => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + byMs })
}
const prove = (open: () => KeyStorage) => {
  const cases = storageContract({
    open,
    close: () => vi.useRealTimers(),
    byHand: () => ({ age }),
  })
  for (const { name, run } of cases) test(name, run)
}

await runSnippet(
  `import { prove, openDocuments } from 'here'
${read('examples/own-storage/document-storage.ts')}
prove(() => documentStorage(openDocuments()))`,
  async (name) => (name === 'here' ? { prove, openDocuments } : load(name)),
  () => undefined,
)
