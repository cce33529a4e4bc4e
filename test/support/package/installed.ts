import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { npm } from './npm.ts'

/** Installs a nested package as its lock file says, unless that has been done already. */
export function installLocked(folder: string): void {
  const lock = readFileSync(join(folder, 'package-lock.json'), 'utf8')
  const stamp = join(folder, 'node_modules', '.installed-lock.json')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) return
  npm(folder, 'ci', '--ignore-scripts', '--no-audit', '--no-fund', '--silent')
  writeFileSync(stamp, lock)
}

/** Installs a tarball beside what is there; no lock file is read or written. */
export function installTarball(folder: string, tarball: string): void {
  const quiet = ['--no-audit', '--no-fund', '--silent', '--prefer-offline']
  npm(folder, 'install', '--no-save', '--no-package-lock', '--ignore-scripts', ...quiet, tarball)
}
