import { fileURLToPath } from 'node:url'
import { installLocked } from '../../support/package/installed.ts'
import { npm, ROOT } from '../../support/package/npm.ts'

const PEERS = fileURLToPath(new URL('peers/', import.meta.url))

/** Installs the peers when they are not there, and builds miftah. */
export function prepare(): void {
  installLocked(PEERS)
  npm(ROOT, 'run', '--silent', 'build:js')
}
