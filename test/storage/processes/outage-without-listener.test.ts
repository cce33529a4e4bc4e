import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, onTestFinished, test } from 'vitest'
import { mintSecret } from '../../../src/secret/mint.ts'
import { ROOT } from '../../support/package/npm.ts'

const hasOwnDriver = Boolean(process.getBuiltinModule?.('node:sqlite'))

/** A new app that has installed miftah and express, and no SQLite driver. */
async function newApp(program: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'miftah-newcomer-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const installed = join(folder, 'node_modules/miftah')
  await mkdir(installed, { recursive: true })
  for (const name of ['dist', 'package.json']) {
    await cp(join(ROOT, name), join(installed, name), { recursive: true })
  }
  for (const name of ['nanoid', '@noble/hashes', 'express']) {
    const path = join(folder, 'node_modules', name)
    await mkdir(dirname(path), { recursive: true })
    await symlink(join(ROOT, 'node_modules', name), path, 'junction')
  }
  await writeFile(join(folder, 'app.mjs'), program)
  return folder
}

async function run(program: string) {
  const cwd = await newApp(program)
  const words = ['app.mjs']
  return promisify(execFile)(process.execPath, words, { cwd, timeout: 100_000 }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
  )
}

const KEYS = `
  import { createApiKeys, plans } from 'miftah'
  import { sqliteStorage } from 'miftah/sqlite'
  const storage = sqliteStorage('keys.sqlite')
  const keys = createApiKeys({ storage, entitlements: () => plans.business })
`

describe.skipIf(hasOwnDriver)('an app without a SQLite driver', () => {
  test('that serves says so once on standard error', async () => {
    const { code, stdout, stderr } = await run(`
      ${KEYS}
      import express from 'express'
      import { manageKeys, requireKey } from 'miftah/express'
      const user = { id: 'u_1', name: 'نورة' }
      const app = express()
      app.use('/settings', manageKeys(keys, { context: () => ({ workspaceId: 'ws_1', user }) }))
      app.get('/contacts', requireKey(keys, 'contacts.read'), (_req, res) => res.end())
      const server = app.listen(0, '127.0.0.1', async () => {
        const base = 'http://127.0.0.1:' + server.address().port
        const headers = { authorization: 'Bearer ${mintSecret('svc', 'live')}' }
        for (const path of ['/settings/keys', '/settings/keys', '/contacts', '/contacts']) {
          console.log((await fetch(base + path, { headers })).status)
        }
        server.close()
        server.closeAllConnections()
      })
    `)
    expect(stdout).toBe('503\n'.repeat(4))
    expect(stderr).toBe(
      'miftah: The key storage cannot be used: this runtime has no SQLite; run `npm install @photostructure/sqlite`, or use Node 22.13 or later. (Reported once; set onEvent of createApiKeys to be notified of every fault.)\n',
    )
    expect(code).toBe(0)
  })

  test('that migrates at startup does not start, and says what to install', async () => {
    const { code, stdout, stderr } = await run(`
      ${KEYS}
      await storage.migrate()
      console.log('started')
    `)
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toContain('StorageError: no SQLite driver: this runtime has no node:sqlite.')
    expect(stderr).toContain('Install @photostructure/sqlite')
  })
})
