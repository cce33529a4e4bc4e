import { fileURLToPath } from 'node:url'
import type { BuildOptions } from 'esbuild'
import { minifyTemplates } from './minify-templates.ts'

const path = (file: string) => fileURLToPath(new URL(file, import.meta.url))

/**
 * How the tab becomes files for browsers: the entry, one that is loaded later, and those that they
 * share, named for their content. Importing them where there is no DOM does nothing. Arabic stays
 * Arabic, at half the size of escapes.
 */
export const bundleOptions = {
  entryPoints: {
    'settings-tab': path('../index.ts'),
    'settings-tab-lazy': path('../later.ts'),
  },
  chunkNames: 'settings-tab-[hash]',
  bundle: true,
  splitting: true,
  minify: true,
  format: 'esm',
  platform: 'neutral',
  target: 'es2022',
  charset: 'utf8',
  conditions: ['production'],
  inject: [path('./without-dom.ts')],
  legalComments: 'none',
  logOverride: { 'ignored-bare-import': 'silent' },
  banner: { js: '/*! miftah, MIT. With Lit, BSD-3-Clause: see settings-tab.LICENSE.txt */' },
  plugins: [minifyTemplates],
} satisfies BuildOptions
