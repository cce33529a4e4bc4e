import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { expect, onTestFinished, test } from 'vitest'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const hasOwnDriver = Boolean(process.getBuiltinModule?.('node:sqlite'))

const PROGRAM = `
  import { sqliteStorage } from './adapters/storage/sqlite.ts'
  const storage = sqliteStorage('keys.db')
  const tell = ({ name, code, message }) => console.log(JSON.stringify([name, code, message]))
  await storage.migrate().catch(tell)
  await storage.findByHash('00').catch(tell)
  await storage.close()
`

test.skipIf(hasOwnDriver)('without a driver the first call says what to install', async () => {
  // A folder from which no package can be found.
  const folder = await mkdtemp(join(tmpdir(), 'miftah-no-driver-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const outfile = join(folder, 'program.mjs')
  await build({
    stdin: { contents: PROGRAM, resolveDir: ROOT, loader: 'ts' },
    ...{ bundle: true, outfile, format: 'esm', platform: 'node', logLevel: 'silent' },
    external: ['@photostructure/sqlite'],
    // Or the program, which exports nothing, is left out: package.json names the files with effects.
    ignoreAnnotations: true,
  })
  const run = promisify(execFile)(process.execPath, [outfile], { cwd: folder })
  const lines = (await run).stdout.trim().split('\n')
  expect(lines).toHaveLength(2)
  for (const line of lines) {
    const [name, code, message]: unknown[] = JSON.parse(line)
    expect([name, code]).toEqual(['StorageError', 'driver_missing'])
    expect(message).toContain('Install @photostructure/sqlite')
  }
})
