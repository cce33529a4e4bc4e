import { createHash, randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** A program of TypeScript to be started many times. */
export interface Program {
  /** Its text; what it imports is found from the root of the project. */
  readonly code: string
  /** The file that stands for `import.meta.url`. Default: the compiled one. */
  readonly url?: string
  /** Which tsconfig has the paths. Default: that of the root. */
  readonly tsconfig?: string
  /** The folder from where it imports its neighbours. Default: the root. */
  readonly folder?: string
  /** The files that stand for packages. */
  readonly alias?: Record<string, string>
}

/** What this process has compiled. */
const COMPILED = new Map<string, Promise<string>>()

/**
 * Compiles a program into one file within the project, from where packages are found, and answers its
 * path. A process then starts in a tenth of a second; with tsx it takes one of a processor.
 */
export function compiled(program: Program): Promise<string> {
  const name = JSON.stringify(program)
  const known = COMPILED.get(name) ?? compile(program)
  COMPILED.set(name, known)
  return known
}

async function compile({ code, url, folder = '.', ...options }: Program): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: code, resolveDir: join(ROOT, folder), loader: 'ts' },
    absWorkingDir: ROOT,
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    packages: 'external',
    // Or a program that exports nothing is left out, as package.json says of the files of the package.
    ignoreAnnotations: true,
    sourcemap: 'inline',
    tsconfig: 'tsconfig.json',
    logLevel: 'silent',
    define: url === undefined ? {} : { 'import.meta.url': JSON.stringify(urlOf(url)) },
    ...options,
  })
  return keptAs(outputFiles[0]?.text ?? '')
}

const urlOf = (file: string) => pathToFileURL(join(ROOT, file)).href

/** Named after what is in it, and renamed into place: other processes may write the same. */
async function keptAs(text: string): Promise<string> {
  const name = createHash('sha256').update(text).digest('hex').slice(0, 16)
  const path = join(ROOT, '.data/compiled', `${name}.mjs`)
  if (existsSync(path)) return path
  const draft = `${path}.${randomUUID()}`
  await mkdir(dirname(path), { recursive: true })
  await writeFile(draft, text)
  await rename(draft, path)
  return path
}
