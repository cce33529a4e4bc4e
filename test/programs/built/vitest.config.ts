import { fileURLToPath } from 'node:url'
import { defineConfig, type Plugin, type UserWorkspaceConfig } from 'vitest/config'
import { builtName, ENTRIES } from '../../support/entries.ts'
import { ALONE } from '../mutation/parts.ts'

/*
 * Runs tests on the built files of both formats: `npx vitest run --config test/programs/built/vitest.config.ts`,
 * with the names of files behind it. What a test imports besides entries comes from the sources.
 */

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const TESTS = [
  'test/{core,client,otel,rate-limit}/**/*.test.ts',
  'test/storage/{memory,{postgres,sqlite}/{contract,storage}}.test.ts',
]
const HTTP_TESTS = ['test/http/**/*.test.ts']

/** The name in `dist` by the path of the source. */
const BUILT: ReadonlyMap<string, string> = new Map([
  ...[...ENTRIES].map(([name, source]) => [`${ROOT}${source}`, builtName(name)] as const),
  [`${ROOT}src/secret/sha256-node.ts`, 'sha256-node'],
  [`${ROOT}src/secret/sha256-portable.ts`, 'sha256-portable'],
])

function builtEntries(ending: 'js' | 'cjs'): Plugin {
  return {
    name: 'built-entries',
    enforce: 'pre',
    resolveId(source, importer) {
      if (importer === undefined || !source.startsWith('.')) return null
      const name = BUILT.get(fileURLToPath(new URL(source, `file://${importer}`)))
      return name === undefined ? null : `${ROOT}dist/${name}.${ending}`
    },
  }
}

function project(
  name: string,
  ending: 'js' | 'cjs',
  test: { readonly include: string[]; readonly execArgv?: string[] },
): UserWorkspaceConfig & { extends: true } {
  return { extends: true, plugins: [builtEntries(ending)], test: { name, ...test } }
}

export default defineConfig({
  root: ROOT,
  resolve: { alias: [{ find: '#sha256', replacement: `${ROOT}src/secret/sha256-node.ts` }] },
  test: {
    // It replaces a module of the sources.
    exclude: [ALONE],
    isolate: false,
    setupFiles: ['test/support/seed.ts'],
    testTimeout: 120_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 30_000 } },
    server: { deps: { external: [/\/dist\/[^/]+\.c?js$/] } },
    projects: [
      project('js', 'js', { include: [...TESTS, ...HTTP_TESTS] }),
      // As in Jest, `require` finds no ES module. The frameworks need some.
      project('cjs', 'cjs', { include: TESTS, execArgv: ['--no-experimental-require-module'] }),
      project('cjs with frameworks', 'cjs', { include: HTTP_TESTS }),
    ],
  },
})
