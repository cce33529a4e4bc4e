import { expect, test } from 'vitest'
import { runOnBuiltFiles } from '../support/package/built-tests.ts'

// The short form of both-formats.ci.test.ts.
const TESTS = [
  'test/core/formats/formats',
  'test/core/http',
  'test/core/keys/create-list',
  'test/core/keys/input/bad-input',
  'test/core/keys/lifecycle',
  'test/storage/memory',
  'test/storage/postgres/storage',
]

test('the built files of both formats keep to the tests of the core', async () => {
  expect(await runOnBuiltFiles(...TESTS)).toContain(' passed')
})
