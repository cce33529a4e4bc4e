import type { BuildOptions } from 'esbuild'
import { minifyTemplates } from './minify-templates.ts'
import { loadSecondFile } from './second-file.ts'

/**
 * How the tab becomes one self-contained module, which loads one more: see `second-file.ts`. Neutral,
 * and lit-html's build for servers: importing the tab where there is no DOM must not throw. Arabic
 * stays Arabic, at half the size of escapes.
 */
export const bundleOptions = {
  bundle: true,
  minify: true,
  format: 'esm',
  platform: 'neutral',
  target: 'es2022',
  charset: 'utf8',
  conditions: ['node', 'production'],
  legalComments: 'none',
  banner: {
    js: '/*! miftah, MIT. With lit-html, BSD-3-Clause: see settings-tab.LICENSE.txt */',
  },
  plugins: [loadSecondFile, minifyTemplates],
} satisfies BuildOptions
