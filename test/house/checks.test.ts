import { join } from 'node:path'
import { test } from 'vitest'
import { expectSuccess } from '../support/package/child.ts'
import { ROOT } from './sources.ts'

// `npm run check` runs the same, one after the other.
test.each([
  ['the format and the lint', ['biome', 'check', '.']],
  ['the types', ['tsc', '--noEmit']],
  ['the types of the core, without those of Node and of the DOM', ['tsc', '-p', 'src']],
  ['unused files, exports and packages', ['knip']],
])('%s', async (_, [tool = '', ...words]) => {
  await expectSuccess([join(ROOT, 'node_modules/.bin', tool), ...words], ROOT)
})

test('the API reference is up to date', async () => {
  await expectSuccess(['npm', 'run', '--silent', 'check:docs'], ROOT)
})
