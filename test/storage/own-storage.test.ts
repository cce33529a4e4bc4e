import { expect, test, vi } from 'vitest'
import { storageContract } from '../../adapters/storage/testing/storage-contract.ts'
import type { KeyStorage } from '../../src/storage/index.ts'
import { openDocuments } from '../house/neighbours/documents.ts'
import { loader, runSnippet } from '../house/run-snippet.ts'
import { fencesIn } from '../house/snippets.ts'
import { read } from '../house/sources.ts'
import { ENTRIES } from '../support/entries.ts'

/* The storage of the guide keeps the contract, as its last line says. */

const PAGE = 'docs/storage-your-own.md'
const [example = expect.fail('the page has no code')] = fencesIn(PAGE, read(PAGE))
const load = loader(ENTRIES)

const age = async (byMs: number) => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + byMs })
}
const modules: Readonly<Record<string, unknown>> = {
  vitest: { test },
  './documents.ts': { openDocuments },
  'miftah/testing': {
    storageContract: (open: () => KeyStorage) =>
      storageContract({ open, close: () => vi.useRealTimers(), byHand: () => ({ age }) }),
  },
}

await runSnippet(
  example.code,
  async (name) => modules[name] ?? load(name),
  () => undefined,
)

test('it has at most 200 lines, without its imports', () => {
  const lines = example.code.split('\n').filter((line) => !/^$|^import /.test(line))
  expect(lines.length).toBeLessThanOrEqual(200)
})
