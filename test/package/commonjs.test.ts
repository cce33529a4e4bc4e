import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { builtName, ENTRIES, isForPages } from '../support/entries.ts'
import { ROOT } from '../support/package/npm.ts'

// What Jest and other tools load that cannot require ES modules; `npm run fresh-apps -- jest` uses them.
const require = createRequire(import.meta.url)
const { exports, imports } = require('../../package.json')

const REQUIRED = [...ENTRIES.keys()].filter((name) => !isForPages(name))

describe.each(REQUIRED)('%s as CommonJS', (name) => {
  const file = join(ROOT, 'dist', `${builtName(name)}.cjs`)

  test('has the same exports', async () => {
    const required: object = require(file)
    const imported: object = await import(name)
    expect(Object.keys(required).sort()).toEqual(Object.keys(imported).sort())
  })

  test('is what `require` finds where ES modules cannot be required', () => {
    const conditions = exports[name.replace('miftah', '.')]
    // The first condition that holds is taken: Node knows module-sync from 20.19 on.
    expect(Object.keys(conditions)).toEqual(['module-sync', 'require', 'default'])
    expect(join(ROOT, conditions.require)).toBe(file)
  })
})

test('nothing is required that exists as an ES module alone', () => {
  const files = ['index', 'sha256-node', 'sha256-portable'].map((name) => `dist/${name}.cjs`)
  const texts = files.map((file) => readFileSync(join(ROOT, file), 'utf8')).join('\n')
  expect(texts).not.toMatch(/require\(["'](?:nanoid|@noble|zod|ipaddr)/)
  expect(imports['#sha256'].node.require).toBe('./dist/sha256-node.cjs')
})
