import { build } from 'esbuild'
import { bundleOptions } from '../../../adapters/ui/build/bundle-options.ts'

/** The name of the file that a page loads later. */
export const LATER = 'settings-tab-lazy.js'

let made: ReturnType<typeof builtTab> | undefined

/** The tab as the files of the package, built from source the way the package is built. */
export function tabFiles(): ReturnType<typeof builtTab> {
  made ??= builtTab()
  return made
}

async function builtTab() {
  const { outputFiles } = await build({ ...bundleOptions, outdir: '.', write: false })
  const files = new Map(outputFiles.map(({ path, text }) => [path.replace(/.*[\\/]/, ''), text]))
  const { [LATER]: later = '', ...first } = Object.fromEntries(files)
  return { files, first: Object.values(first), later }
}
