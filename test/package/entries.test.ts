import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { builtName, ENTRIES, isForPages } from '../support/entries.ts'
import { ROOT } from '../support/package/npm.ts'

const { exports, typesVersions } = createRequire(import.meta.url)('../../package.json')

test('package.json exports every entry, and nothing else', () => {
  const declared = [...ENTRIES.keys()].map((entry) => {
    const file = `./dist/${builtName(entry)}`
    const both = { 'module-sync': `${file}.js`, require: `${file}.cjs`, default: `${file}.js` }
    return [entry.replace('miftah', '.'), isForPages(entry) ? `${file}.js` : both]
  })
  expect(exports).toEqual({
    ...Object.fromEntries(declared),
    './package.json': './package.json',
  })
  expect(ENTRIES.size).toBeGreaterThan(10)
})

test('the resolution of older TypeScript finds the types of every entry', () => {
  const below = [...ENTRIES.keys()].filter((entry) => entry !== 'miftah')
  const types = below.map((entry) => [
    entry.replace('miftah/', ''),
    [`./dist/${builtName(entry)}.d.ts`],
  ])
  expect(typesVersions).toEqual({ '*': Object.fromEntries(types) })
})

test('every entry has a source', () => {
  expect([...ENTRIES.values()].filter((source) => !existsSync(join(ROOT, source)))).toEqual([])
})
