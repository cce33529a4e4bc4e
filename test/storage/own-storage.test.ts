import { test } from 'vitest'
import { openDocuments } from '../../examples/own-storage/documents.ts'
import type { KeyStorage } from '../../src/storage/index.ts'
import { loader, runSnippet } from '../house/run-snippet.ts'
import { read } from '../house/sources.ts'
import { ENTRIES } from '../support/entries.ts'
import { contractInMemory } from '../support/memory-contract.ts'

/* The storage of examples/own-storage keeps the contract. */

const load = loader(ENTRIES)

const prove = (open: () => KeyStorage) => {
  for (const { name, run } of contractInMemory(open)) test(name, run)
}

await runSnippet(
  `import { prove, openDocuments } from 'here'
${read('examples/own-storage/document-storage.ts')}
prove(() => documentStorage(openDocuments()))`,
  async (name) => (name === 'here' ? { prove, openDocuments } : load(name)),
  () => undefined,
)
