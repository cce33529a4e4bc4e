import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { bundleOptions } from '../../../adapters/ui/build/bundle-options.ts'

const bundles = new Map<string, Promise<string>>()

/** The tab as one self-contained module, built from source the way the package is built. */
export function bundleOf(entry: string): Promise<string> {
  const made = bundles.get(entry) ?? bundled(entry)
  bundles.set(entry, made)
  return made
}

async function bundled(entry: string): Promise<string> {
  const path = fileURLToPath(new URL(`../../../${entry}`, import.meta.url))
  const { outputFiles } = await build({ ...bundleOptions, entryPoints: [path], write: false })
  return outputFiles[0]?.text ?? ''
}
