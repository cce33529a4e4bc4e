import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { npm, packInto } from './npm.ts'

const QUIET = ['--ignore-scripts', '--no-audit', '--no-fund', '--silent'] as const

/** Installs a nested package as its lock file says, unless that has been done already. */
export function installLocked(folder: string): void {
  const lock = readFileSync(join(folder, 'package-lock.json'), 'utf8')
  const stamp = join(folder, 'node_modules', '.installed-lock.json')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) return
  npm(folder, 'ci', ...QUIET)
  writeFileSync(stamp, lock)
}

/** The same, and beside it the package as it would be published; the lock file stays as it is. */
export function installPacked(folder: string): void {
  installLocked(folder)
  const packed = mkdtempSync(join(tmpdir(), 'miftah-pack-'))
  try {
    install(folder, '--no-save', '--no-package-lock', packInto(packed))
  } finally {
    rmSync(packed, { recursive: true })
  }
}

/** Makes an empty folder a project and installs what its manifest names, and further packages. */
export function installNew(folder: string, manifest: object, ...packages: readonly string[]): void {
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest))
  install(folder, ...packages)
}

function install(folder: string, ...words: readonly string[]): void {
  npm(folder, 'install', ...QUIET, '--prefer-offline', ...words)
}
