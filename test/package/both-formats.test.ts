import { expect, test } from 'vitest'
import { runOnBuiltFiles } from '../support/package/built-tests.ts'

// The short form of both-formats.ci.test.ts.
const TESTS = [
  'test/core/formats/formats',
  'test/core/keys/create-list',
  'test/storage/memory',
  'test/storage/postgres/storage',
]

test('the built files of both formats keep to the tests of the core', async () => {
  expect(await runOnBuiltFiles(...TESTS)).toContain(' passed')
})
