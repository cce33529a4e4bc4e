import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chownSync, existsSync, mkdtempSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { enterableTemp, postgresVersion, SERVER_USER } from './binaries.ts'

const run = promisify(execFile)

const SETTINGS = ['-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C']

/** Makes a temporary folder that belongs to the user of the server. */
export function serverFolder(prefix: string): string {
  const folder = mkdtempSync(join(enterableTemp(), prefix))
  if (SERVER_USER) chownSync(folder, SERVER_USER.uid, SERVER_USER.gid)
  return folder
}

/** Makes the data folder of a new server: a copy, since `initdb` takes four times as long. */
export async function createCluster(binaries: string, data: string): Promise<string> {
  const cluster = join(data, 'cluster')
  await run('cp', ['-a', await templateCluster(binaries), cluster], { ...SERVER_USER, cwd: data })
  return cluster
}

/** The folder that is copied, made once per machine and version of the server. */
async function templateCluster(binaries: string): Promise<string> {
  const made = createHash('sha256').update(SETTINGS.join(' ')).digest('hex').slice(0, 8)
  const name = `miftah-cluster-${postgresVersion()}-${process.getuid?.()}-${made}`
  const template = join(enterableTemp(), name)
  if (!existsSync(template)) await makeTemplate(binaries, template)
  return join(template, 'cluster')
}

/** Renamed into place when complete: others may make the same, and one may be killed. */
async function makeTemplate(binaries: string, template: string): Promise<void> {
  const draft = serverFolder('miftah-cluster-draft-')
  const words = ['-D', join(draft, 'cluster'), ...SETTINGS, '--no-sync', '--no-instructions']
  await run(join(binaries, 'bin', 'initdb'), words, { ...SERVER_USER, cwd: draft })
  await rename(draft, template).catch((error: unknown) => {
    if (!existsSync(template)) throw error
  })
  await rm(draft, { recursive: true, force: true })
}
