import { build } from 'esbuild'
import { bundleOptions } from '../../../adapters/ui/build/bundle-options.ts'

/** The tab as the files of the package, built from source the way the package is built. */
export interface TabFiles {
  /** Every file by its name. */
  readonly files: ReadonlyMap<string, string>
  /** What a page loads at first: the entry and what it imports. */
  readonly first: readonly string[]
}

/** The name of the file that a page loads later. */
export const LATER = 'settings-tab-lazy.js'

let made: Promise<TabFiles> | undefined

export function tabFiles(): Promise<TabFiles> {
  made ??= builtTab()
  return made
}

/** The text of what a page loads at first. */
export async function firstText(): Promise<string> {
  const { files, first } = await tabFiles()
  return first.map((name) => files.get(name)).join('\n')
}

/** The text of the file that it loads later. */
export async function laterText(): Promise<string> {
  const { files } = await tabFiles()
  return files.get(LATER) ?? ''
}

async function builtTab(): Promise<TabFiles> {
  const { outputFiles, metafile } = await build({
    ...bundleOptions,
    outdir: '.',
    metafile: true,
    write: false,
  })
  const files = new Map(outputFiles.map(({ path, text }) => [path.replace(/.*[\\/]/, ''), text]))
  const { imports = [] } = metafile.outputs['settings-tab.js'] ?? {}
  const atOnce = imports.filter(({ kind }) => kind === 'import-statement')
  const first = ['settings-tab.js', ...atOnce.map(({ path }) => path)]
  return { files, first }
}
