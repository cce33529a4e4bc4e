import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startServer } from '../../support/package/child.ts'
import { npm, packInto } from '../../support/package/npm.ts'
import { walk } from '../../support/package/walk.ts'

// `npm run fresh-apps`: the packed package, installed as a user would, in an app of each kind.
const SOURCES = fileURLToPath(new URL('.', import.meta.url))

/** What each app installs beside miftah. */
const APPS: Readonly<Record<string, readonly string[]>> = {
  express: ['express@5.3.0'],
  fastify: ['fastify@5.12.8'],
  hono: ['hono@4.13.19', '@hono/node-server@2.1.8'],
  next: [],
}

const folder = mkdtempSync(join(tmpdir(), 'miftah-apps-'))
let failed = false
try {
  console.error('building, packing …')
  const tarball = packInto(folder)
  for (const [name, packages] of Object.entries(APPS)) {
    const checks = await tryApp(name, [tarball, ...packages]).catch((error: unknown) => {
      console.error(`  FAILED ${error}`)
      return null
    })
    console.log(`${name}: ${checks === null ? 'FAILED' : `installed, started, ${checks} checks`}`)
    failed ||= checks === null
  }
} finally {
  rmSync(folder, { recursive: true })
}
process.exitCode = failed ? 1 : 0

async function tryApp(name: string, packages: readonly string[]): Promise<number> {
  const app = join(folder, name)
  mkdirSync(app)
  writeFileSync(join(app, 'package.json'), JSON.stringify({ private: true, type: 'module' }))
  cpSync(join(SOURCES, 'keys.js'), join(app, 'keys.js'))
  cpSync(join(SOURCES, `${name}.js`), join(app, 'app.js'))
  const quiet = ['--no-audit', '--no-fund', '--silent', '--prefer-offline']
  npm(app, 'install', ...quiet, ...packages)
  const server = await startServer([process.execPath, 'app.js'], app)
  try {
    return await walk(server.port)
  } finally {
    await server.stop()
  }
}
