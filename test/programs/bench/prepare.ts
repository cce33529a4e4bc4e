import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url))

/** The folder of the whole project. */
export const ROOT = path('../../../')
const PEERS = path('peers/')

/** Installs the peers when they are not there, and builds miftah. */
export function prepare(): void {
  if (!existsSync(`${PEERS}node_modules/better-auth`)) npm(PEERS, ['ci', '--ignore-scripts'])
  npm(ROOT, ['run', '--silent', 'build:js'])
}

function npm(cwd: string, words: readonly string[]): void {
  // npm is a script of the shell's on Windows.
  execFileSync('npm', words, {
    cwd,
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: process.platform === 'win32',
  })
}
