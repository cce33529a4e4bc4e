import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { expect, test } from 'vitest'
import { importsOf } from '../house/sources.ts'
import { builtName, ENTRIES } from '../support/entries.ts'
import { ROOT } from '../support/package/npm.ts'

const manifestOf = (folder: string) =>
  JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8'))

const { dependencies, exports, peerDependencies, peerDependenciesMeta } = manifestOf('.')

test('package.json exports every entry, each with a source, and nothing else', () => {
  const declared = [...ENTRIES.keys()].map((entry) => [
    entry.replace('miftah', '.'),
    `./dist/${builtName(entry)}.js`,
  ])
  const others = { './openapi.json': './docs/openapi.json', './package.json': './package.json' }
  expect(exports).toEqual({ ...Object.fromEntries(declared), ...others })
  expect([...ENTRIES.values()].filter((source) => !existsSync(join(ROOT, source)))).toEqual([])
})

/*
 * npm refuses to install beside a peer outside its range (ERESOLVE), optional or not, and also for
 * somebody who uses the core alone; pre-releases fit no range but `*`. Which versions work is in
 * docs/http.md, and `npm run fresh-apps` tries them.
 */
test('no peer can stand in the way of an install', () => {
  const peers = Object.entries(peerDependencies)
  const demanding = ([name, range]: [string, unknown]) =>
    range !== '*' || peerDependenciesMeta[name]?.optional !== true
  expect(peers.length).toBeGreaterThan(0)
  expect(peers.filter(demanding)).toEqual([])
})

test('there are two dependencies, which have none', () => {
  const own = Object.keys(dependencies)
  expect(own).toEqual(['@noble/hashes', 'nanoid'])
  expect(own.map((name) => manifestOf(`node_modules/${name}`).dependencies ?? {})).toEqual([{}, {}])
})

test.each(['.js', '.d.ts'])(
  'what is built in %s imports what package.json names, and no more',
  (ending) => {
    const dist = join(ROOT, 'dist')
    const files = readdirSync(dist).filter((name) => name.endsWith(ending))
    const imports = files.flatMap((name) => importsOf(name, readFileSync(join(dist, name), 'utf8')))
    const known = [...Object.keys(dependencies), ...Object.keys(peerDependencies)]
    const isKnown = (target: string) =>
      /^(node:|#sha256$)|\.js$/.test(target) ||
      known.some((name) => `${target}/`.startsWith(`${name}/`))
    expect(imports.map(({ target }) => target)).toContain(ending === '.js' ? 'nanoid' : 'express')
    expect(imports.filter(({ target }) => !isKnown(target))).toEqual([])
  },
)

test('the core with all that it imports weighs at most 47.9 kB, minified and compressed', async () => {
  const { outputFiles } = await build({
    stdin: { contents: `export * from 'miftah'`, resolveDir: ROOT },
    ...{ bundle: true, minify: true, write: false, format: 'esm', platform: 'neutral' },
    // Without Node's own crypto in it, as any other runtime gets it: the larger of the two.
    conditions: ['browser'],
    mainFields: ['module', 'main'],
    logLevel: 'silent',
  })
  const bytes = gzipSync(outputFiles[0]?.contents ?? '', { level: 9 }).length
  expect(bytes).toBeGreaterThan(1_000)
  expect(bytes).toBeLessThanOrEqual(47_900)
})
