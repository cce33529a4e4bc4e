import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { describe, expect, onTestFinished, test } from 'vitest'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const hasOwnDriver = Boolean(process.getBuiltinModule?.('node:sqlite'))

const ON_STORAGE = `
  import { sqliteStorage } from './adapters/storage/sqlite.ts'
  const storage = sqliteStorage('keys.db')
  const tell = ({ name, code, message }) => console.log(JSON.stringify([name, code, message]))
  await storage.migrate().catch(tell)
  await storage.findById('ws_1', 'key_1').catch(tell)
  await storage.close()
`

const ON_HOST = `
  import { requireKey } from './adapters/http/fetch.ts'
  import { sqliteStorage } from './adapters/storage/sqlite.ts'
  import { createApiKeys, plans } from './src/index.ts'
  import { mintSecret } from './src/secret/mint.ts'
  const storage = sqliteStorage('keys.db')
  const keys = createApiKeys({ storage, entitlements: () => plans.business })
  const headers = { authorization: 'Bearer ' + mintSecret('svc', 'live') }
  const guarded = requireKey(keys, null)(() => new Response())
  const response = await guarded(new Request('https://a.example/', { headers }))
  console.log(response.status)
`

/** Runs a program in a folder from which no package can be found. */
async function run(program: string) {
  const folder = await mkdtemp(join(tmpdir(), 'miftah-no-driver-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const outfile = join(folder, 'program.mjs')
  await build({
    stdin: { contents: program, resolveDir: ROOT, loader: 'ts' },
    ...{ bundle: true, outfile, format: 'esm', platform: 'node', logLevel: 'silent' },
    external: ['@photostructure/sqlite'],
    alias: { '#sha256': join(ROOT, 'src/secret/sha256-node.ts') },
    // Or the program, which exports nothing, is left out: package.json names the files with effects.
    ignoreAnnotations: true,
  })
  return promisify(execFile)(process.execPath, [outfile], { cwd: folder })
}

describe.skipIf(hasOwnDriver)('without a driver', () => {
  test('the first call says what to install', async () => {
    const lines = (await run(ON_STORAGE)).stdout.trim().split('\n')
    expect(lines).toHaveLength(2)
    for (const line of lines) {
      const [name, code, message]: unknown[] = JSON.parse(line)
      expect([name, code]).toEqual(['StorageError', 'driver_missing'])
      expect(message).toContain('Install @photostructure/sqlite')
    }
  })

  test('a host answers 503 and says what to install', async () => {
    expect(await run(ON_HOST)).toEqual({
      stdout: '503\n',
      stderr:
        'miftah: The key storage cannot be used: this runtime has no SQLite; run `npm install @photostructure/sqlite`, or use Node 22.13 or later. (Reported once; set onEvent of createApiKeys to be notified of every fault.)\n',
    })
  })
})
