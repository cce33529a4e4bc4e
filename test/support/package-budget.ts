import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const CORE = new URL('../../dist/index.js', import.meta.url).href

/** Bytes of the built core with all that it imports, minified and compressed. */
export async function coreGzipBytes(): Promise<number> {
  const { outputFiles } = await build({
    stdin: { contents: `export * from 'miftah'`, resolveDir: ROOT },
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    platform: 'neutral',
    // Without Node's own crypto in it, as any other runtime gets it: the larger of the two.
    conditions: ['browser'],
    mainFields: ['module', 'main'],
    logLevel: 'silent',
  })
  return gzipSync(outputFiles[0]?.contents ?? '', { level: 9 }).length
}

/** Names of the packages that installing miftah brings along, theirs included. */
export function installedDependencies(): readonly string[] {
  const own = dependenciesOf(`${ROOT}package.json`)
  const theirs = own.flatMap((name) => dependenciesOf(`${ROOT}node_modules/${name}/package.json`))
  return [...own, ...theirs].sort()
}

function dependenciesOf(file: string): readonly string[] {
  const { dependencies = {} } = JSON.parse(readFileSync(file, 'utf8'))
  return Object.keys(dependencies)
}

/** What a program costs that imports the core, and one that imports nothing. */
export interface StartCost {
  readonly withCore: number
  readonly empty: number
}

/** Milliseconds of the wall clock for one start of each. */
export function startTimes(): StartCost {
  return { withCore: measured(IMPORT), empty: measured('') }
}

const IMPORT = `await import(${JSON.stringify(CORE)})`

function measured(code: string): number {
  const start = performance.now()
  execFileSync(process.execPath, ['--input-type=module', '--eval', code])
  return performance.now() - start
}
