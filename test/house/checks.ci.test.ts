import { join } from 'node:path'
import { test } from 'vitest'
import { expectSuccess } from '../support/package/child.ts'
import { ROOT } from './sources.ts'

test('no file, export or package is unused', async () => {
  await expectSuccess([join(ROOT, 'node_modules/.bin/knip')], ROOT)
})

test('the API reference is up to date', async () => {
  await expectSuccess(['npm', 'run', '--silent', 'check:docs'], ROOT)
})
