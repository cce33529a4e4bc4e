import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CONSUMERS, RESOLUTIONS, typeErrors } from '../programs/types-matrix/consumers.ts'
import { ENTRIES } from '../support/entries.ts'
import { ROOT } from '../support/package/npm.ts'

// The emitted types, which `npm run build` makes, by name; `npm run types:matrix` is the long form.
const compiler = join(ROOT, 'node_modules/typescript-7/bin/tsc')
// Within the package itself, where its own name leads to what is built.
const folder = mkdtempSync(join(ROOT, 'node_modules/.types-'))
afterAll(() => rmSync(folder, { recursive: true }))

beforeAll(() => {
  // The build for tests alone makes none, and a whole one would pull the files from under other tests.
  if (!existsSync(join(ROOT, 'dist/index.d.ts'))) throw new Error('no types: npm run build first')
})

test('no type is any', () => {
  const files = readdirSync(join(ROOT, 'dist')).filter((name) => name.endsWith('.d.ts'))
  const withAny = files.filter((name) => {
    const text = readFileSync(join(ROOT, 'dist', name), 'utf8')
    return /\bany\b/.test(text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*|'[^'\n]*'/g, ''))
  })
  expect(files.length).toBeGreaterThan(20)
  expect(withAny).toEqual([])
})

test('every entry is imported by some program', () => {
  const entries = [...ENTRIES.keys()].map((name) => name.replace('miftah', '.'))
  const imported = CONSUMERS.flatMap(({ entries }) => entries.map((path) => `.${path}`))
  expect([...new Set(imported)].sort()).toEqual(entries.sort())
})

// The long form tries every resolution.
describe.each(RESOLUTIONS.slice(0, 2))('$module, $file', (resolution) => {
  test.each(CONSUMERS)(
    '$name',
    (consumer) => {
      const program = join(folder, `${resolution.file}-${consumer.types.length}`)
      expect(typeErrors(program, { compiler, consumer, resolution })).toEqual([])
    },
    600_000,
  )
})

test('a CommonJS file under node16 gets the error that docs/support.md explains', () => {
  const consumer = { name: 'the core', lib: ['ES2023'], types: ['node'], entries: [''] }
  const resolution = { module: 'node16', file: 'program.cts' } as const
  const errors = typeErrors(join(folder, 'node16'), { compiler, consumer, resolution })
  expect(errors.join('\n')).toContain('error TS1479')
}, 600_000)
