import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ENTRIES } from '../support/entries.ts'
import { outputOf } from '../support/package/child.ts'
import { ROOT } from './sources.ts'

test('no file, export or package is unused', async () => {
  await outputOf([join(ROOT, 'node_modules/.bin/knip')], ROOT)
})

test('the API reference is written without a warning, with a page for each entry', async () => {
  expect(await outputOf(['npm', 'run', '--silent', 'docs'], ROOT)).toBe('')
  const pages = [...ENTRIES.keys()].map((entry) => join(ROOT, `docs/api/${entry}.md`))
  expect(pages.filter((page) => !existsSync(page))).toEqual([])
})
