import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { minifyTemplates } from '../../../adapters/ui/build/minify-templates.ts'

/** The tab as one self-contained module, built from source the way the package is built. */
export async function bundleOf(entry: string): Promise<string> {
  const path = fileURLToPath(new URL(`../../../${entry}`, import.meta.url))
  const { outputFiles } = await build({
    entryPoints: [path],
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    // Neutral, and lit-html's build for servers: importing the tab where there is no DOM must not throw.
    platform: 'neutral',
    target: 'es2022',
    charset: 'utf8',
    legalComments: 'none',
    conditions: ['node', 'production'],
    plugins: [minifyTemplates],
  })
  return outputFiles[0]?.text ?? ''
}
