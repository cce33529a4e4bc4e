import { expect, test } from 'vitest'
import { runOnBuiltFiles } from '../support/package/built-tests.ts'

test('the core, its hosts and the storages, on the built files of both formats', async () => {
  expect(await runOnBuiltFiles()).toContain(' passed')
}, 1_200_000)
