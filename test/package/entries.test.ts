import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { builtName, ENTRIES } from '../support/entries.ts'
import { ROOT } from '../support/package/npm.ts'

const { exports } = createRequire(import.meta.url)('../../package.json')

test('package.json exports every entry, and nothing else', () => {
  const declared = [...ENTRIES.keys()].map((entry) => [
    entry.replace('miftah', '.'),
    `./dist/${builtName(entry)}.js`,
  ])
  expect(exports).toEqual({
    ...Object.fromEntries(declared),
    './openapi.json': './docs/openapi.json',
    './package.json': './package.json',
  })
  expect(ENTRIES.size).toBeGreaterThan(10)
})

test('every entry has a source', () => {
  expect([...ENTRIES.values()].filter((source) => !existsSync(join(ROOT, source)))).toEqual([])
})
