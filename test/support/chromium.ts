import { randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream, existsSync } from 'node:fs'
import { chmod, link, mkdir, readFile, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createBrotliDecompress } from 'node:zlib'
import { type Browser, chromium } from 'playwright-core'

const entry = createRequire(import.meta.url).resolve('@sparticuz/chromium')
const packageFolder = join(dirname(entry), '../..')

let shared: Promise<Browser> | null = null

/**
 * The Chromium of all test files that this process runs. It ends with the process; after a crash, the
 * next file starts another.
 */
export function sharedChromium(): Promise<Browser> {
  shared ??= launchChromium().then((browser) =>
    browser.on('disconnected', () => {
      shared = null
    }),
  )
  return shared
}

/** The one that `CHROMIUM_PATH` names, or that of the dependencies, unpacked once into the cache of node_modules. */
async function launchChromium(): Promise<Browser> {
  const executablePath = process.env['CHROMIUM_PATH'] ?? (await unpackedChromium())
  // --no-sandbox: containers commonly forbid the namespaces that the sandbox needs.
  const args = ['--no-sandbox', '--disable-background-networking', '--disable-component-update']
  return chromium.launch({ executablePath, args })
}

async function unpackedChromium(): Promise<string> {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new Error('This Chromium is for Linux on x86-64. Set CHROMIUM_PATH to another one.')
  }
  const { version } = JSON.parse(await readFile(join(packageFolder, 'package.json'), 'utf8'))
  const folder = join(packageFolder, '../../.cache/chromium', String(version))
  const path = join(folder, 'chromium')
  if (!existsSync(path)) await unpack(join(packageFolder, 'bin/chromium.br'), path)
  return path
}

/*
 * Put into place when complete: test files start at the same time, and one may be killed. The first one
 * stays, since a Chromium that runs starts its own file again and again.
 */
async function unpack(source: string, path: string): Promise<void> {
  const partial = `${path}.${randomUUID()}`
  await mkdir(dirname(path), { recursive: true })
  try {
    await pipeline(
      createReadStream(source),
      createBrotliDecompress(),
      createWriteStream(partial, { mode: 0o755 }),
    )
    await chmod(partial, 0o755)
    await link(partial, path).catch((error) => {
      if (error.code !== 'EEXIST') throw error
    })
  } finally {
    await rm(partial, { force: true })
  }
}
