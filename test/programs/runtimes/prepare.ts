import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { installPacked } from '../../support/package/installed.ts'
import { bundle, FOR_WORKERS } from './bundle.ts'
import { SHELF } from './runtimes.ts'

const SOURCE = fileURLToPath(new URL('suite/', import.meta.url))
const SUITE = join(SHELF, 'suite')

/** Installs the runtimes and the package as it would be published, and puts the suite beside them. */
export async function prepare(): Promise<void> {
  installPacked(SHELF)
  rmSync(SUITE, { recursive: true, force: true })
  cpSync(SOURCE, SUITE, { recursive: true })
  await bundle(join(SUITE, 'worker.js'), join(SUITE, 'worker.bundle.js'), FOR_WORKERS)
  await bundle(join(SUITE, 'main.js'), join(SUITE, 'portable.js'), ['browser'])
}
