import { describe, expect, test } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { filesToPack } from '../support/package/npm.ts'

const { exports, imports, main, scripts, types } = manifest

/** Everything that may be in the tarball, and how often. */
const PATTERNS: readonly (readonly [RegExp, atLeast: number, atMost: number])[] = [
  [/^(package\.json|README\.md|LICENSE|CHANGELOG\.md|SECURITY\.md)$/, 5, 5],
  [/^docs\/openapi\.json$/, 1, 1],
  [/^dist\/custom-elements\.json$/, 0, 1],
  [/^dist\/[a-z0-9-]+\.js$/, 10, 40],
  [/^dist\/[a-z0-9-]+\.d\.ts$/, 0, 40],
  [/^dist\/(?:chunk|settings-tab)-[A-Z0-9]{8}\.js$/, 2, 60],
  [/^dist\/[a-z-]+\.d-[A-Za-z0-9_-]{8}\.d\.ts$/, 0, 40],
  [/^dist\/(settings-tab|zod|commander)\.LICENSE\.txt$/, 3, 3],
]

/** Every file in a tree of conditions. */
function filesIn(tree: unknown): readonly string[] {
  return typeof tree === 'string' ? [tree] : Object.values(Object(tree)).flatMap(filesIn)
}

const files = filesToPack()
const paths = files.map(({ path }) => path)

describe('the tarball', () => {
  test.each(PATTERNS)('%s: between %i and %i files', (pattern, atLeast, atMost) => {
    const found = paths.filter((path) => pattern.test(path))
    expect(found.length).toBeGreaterThanOrEqual(atLeast)
    expect(found.length).toBeLessThanOrEqual(atMost)
  })

  test('nothing else', () => {
    const known = (path: string) => PATTERNS.some(([pattern]) => pattern.test(path))
    expect(paths.filter((path) => !known(path))).toEqual([])
  })

  test('every file that package.json names', () => {
    const named = [main, types, ...filesIn(exports), ...filesIn(imports)]
    const missing = named
      .map((path) => path.replace('./', ''))
      .filter((path) => !paths.includes(path))
    expect(missing).toEqual([])
  })

  test('1.7 MB at most', () => {
    const bytes = files.reduce((sum, { size }) => sum + size, 0)
    expect(bytes).toBeGreaterThan(200_000)
    expect(bytes).toBeLessThan(1_700_000)
  })
})

test('installing it runs nothing', () => {
  const run = ['preinstall', 'install', 'postinstall', 'prepublish', 'preprepare', 'prepare']
  expect(run.filter((name) => name in scripts)).toEqual([])
  // npm compiles whatever has a binding.gyp, without being asked.
  expect(paths.filter((path) => /\.gyp$|\.node$/.test(path))).toEqual([])
})
