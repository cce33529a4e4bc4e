import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder of the whole project. */
export const ROOT = fileURLToPath(new URL('../../../', import.meta.url))

/** Runs npm in a folder and answers what it printed; what it warns of is shown only when it fails. */
export function npm(cwd: string, ...words: readonly string[]): string {
  // npm is a script of the shell's on Windows.
  const shell = process.platform === 'win32'
  return execFileSync('npm', words, { cwd, shell, encoding: 'utf8', maxBuffer: 2 ** 26 })
}

/** One file of the tarball. */
export interface PackedFile {
  readonly path: string
  readonly size: number
}

/** What npm would pack. */
export function filesToPack(): readonly PackedFile[] {
  const report = JSON.parse(
    npm(ROOT, 'pack', '--dry-run', '--json', '--ignore-scripts', '--silent'),
  )
  return packedIn(report).files
}

/** Builds the package, packs it into a folder and answers the path of the tarball. */
export function packInto(folder: string): string {
  npm(ROOT, 'run', '--silent', 'build')
  const words = ['--json', '--ignore-scripts', '--silent', '--pack-destination', folder]
  return join(folder, packedIn(JSON.parse(npm(ROOT, 'pack', ...words))).filename)
}

interface Packed {
  readonly filename: string
  readonly files: readonly PackedFile[]
}

/** Versions of npm differ in whether the report is a list or named by package. */
function packedIn(report: readonly Packed[] | Readonly<Record<string, Packed>>): Packed {
  const [packed] = Object.values(report)
  if (packed === undefined) throw new Error('npm packed nothing')
  return packed
}
