import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

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
