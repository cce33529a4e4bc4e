import { readFileSync } from 'node:fs'
import { copyFile } from 'node:fs/promises'
import { isBuiltin } from 'node:module'
import { defineConfig, type Options } from 'tsup'
import { bundleOptions } from './adapters/ui/build/bundle-options.ts'
import { builtName, ENTRIES } from './test/support/entries.ts'

/** The entries whose sources a folder holds, or does not, by the name of the file they become. */
function entriesOf(fits: (source: string) => boolean): Record<string, string> {
  const found = [...ENTRIES].filter(([, source]) => fits(source))
  return Object.fromEntries(found.map(([name, source]) => [builtName(name), source]))
}

const isTab = (source: string) => source.startsWith('adapters/ui/')

const entry = {
  ...entriesOf((source) => !isTab(source)),
  cli: 'adapters/cli/main.ts',
  'sha256-node': 'src/secret/sha256-node.ts',
  'sha256-portable': 'src/secret/sha256-portable.ts',
}

const tab = entriesOf(isTab)

/** The types of the sources, one file for each, as `npm run build` has written them before. */
function declarationsOf(sources: Record<string, string>): Record<string, string> {
  const declaration = (source: string) => `.data/types/${source.replace(/\.tsx?$/, '.d.ts')}`
  return Object.fromEntries(
    Object.entries(sources).map(([name, source]) => [name, declaration(source)]),
  )
}

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }

/** The React component imports the tab that is built beside it, and not a copy of its sources. */
const builtTab: NonNullable<Options['esbuildPlugins']>[number] = {
  name: 'built-tab',
  setup({ onResolve }) {
    const built = { path: './settings-tab.js', external: true, sideEffects: true }
    onResolve({ filter: /^\.\.\/ui\/index\.ts$/ }, () => built)
  },
}

/**
 * A neutral platform has no modules of its own: those of Node are named here. What commander requires, in
 * CommonJS, is imported, since an ES module has no `require`.
 */
const modulesOfNode: NonNullable<Options['esbuildPlugins']>[number] = {
  name: 'modules-of-node',
  setup({ onResolve, onLoad }) {
    const namespace = 'required'
    onResolve({ filter: /./ }, ({ kind, path }) => {
      if (kind === 'require-call') return isBuiltin(path) ? { path, namespace } : undefined
      return path.startsWith('node:') ? { path, external: true } : undefined
    })
    onLoad({ filter: /./, namespace }, ({ path }) => ({
      contents: `export * from 'node:${path.replace('node:', '')}'`,
    }))
  },
}

const modules: Options = {
  entry,
  format: 'esm',
  target: 'node20.19',
  platform: 'neutral',
  external: ['#sha256'],
  // zod loads all its languages at import, three quarters of the start of a host. What is used of it
  // is a tenth, and goes along. So does commander, which only the command line uses.
  noExternal: [/^zod\//, 'commander'],
  esbuildPlugins: [modulesOfNode, builtTab],
  splitting: true,
  define: { MIFTAH_VERSION: JSON.stringify(version) },
  // The tab is built at the same time, into the same folder.
  clean: ['!settings-tab*'],
  // tsup strips the node: scheme by default, which breaks Deno and workerd.
  removeNodeProtocol: false,
  async onSuccess() {
    for (const name of ['zod', 'commander']) {
      await copyFile(`node_modules/${name}/LICENSE`, `dist/${name}.LICENSE.txt`)
    }
  },
  // From sources tsup compiles one program for every folder, a dozen with the same files.
  // tsup 8.5 sets baseUrl, which TypeScript 6 deprecates.
  // Types of the tab too: a build of their own would be cleaned away by this one.
  dts: {
    entry: declarationsOf({ ...entry, ...tab }),
    compilerOptions: { ignoreDeprecations: '6.0' },
    // For Symbol.asyncDispose, which no lib up to ES2025 has and which a host need not ask for.
    banner: '/// <reference lib="esnext.disposable" />',
  },
}

/** The settings tab, for browsers and bundlers. */
const { charset, conditions, legalComments, inject, chunkNames } = bundleOptions
const browserFiles: Options = {
  entry: bundleOptions.entryPoints,
  format: 'esm',
  target: bundleOptions.target,
  platform: bundleOptions.platform,
  minify: bundleOptions.minify,
  banner: bundleOptions.banner,
  splitting: true,
  // Files of an earlier build have other names.
  clean: ['!!(settings-tab*)', '!*.d.ts'],
  noExternal: [/^lit/],
  esbuildPlugins: bundleOptions.plugins,
  esbuildOptions: (options) =>
    void Object.assign(options, { charset, conditions, legalComments, inject, chunkNames }),
  onSuccess: () => copyFile('node_modules/lit/LICENSE', 'dist/settings-tab.LICENSE.txt'),
}

export default defineConfig([modules, browserFiles])
