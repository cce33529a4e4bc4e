import { execFile } from 'node:child_process'
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'

const STORAGES = fileURLToPath(new URL('../../../adapters/storage', import.meta.url))
const TSX = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href
const hasOwnDriver = Boolean(process.getBuiltinModule?.('node:sqlite'))

test.skipIf(hasOwnDriver)('without a driver the first call says what to install', async () => {
  // A folder from which no package can be found.
  const folder = await mkdtemp(join(tmpdir(), 'miftah-no-driver-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await cp(STORAGES, join(folder, 'storage'), { recursive: true })
  const program = `
    import { sqliteStorage } from './storage/sqlite.ts'
    const storage = sqliteStorage('keys.db')
    const tell = ({ name, code, message }) => console.log(JSON.stringify([name, code, message]))
    await storage.migrate().catch(tell)
    await storage.findByHash('00').catch(tell)
    await storage.close()
  `
  await writeFile(join(folder, 'program.mts'), program)
  const run = promisify(execFile)(process.execPath, ['--import', TSX, 'program.mts'], {
    cwd: folder,
  })
  const lines = (await run).stdout.trim().split('\n')
  expect(lines).toHaveLength(2)
  for (const line of lines) {
    const [name, code, message]: unknown[] = JSON.parse(line)
    expect([name, code]).toEqual(['StorageError', 'driver_missing'])
    expect(message).toContain('Install @photostructure/sqlite')
  }
})
