import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { memoryContract, sqliteContract } from './contracts.js'
import { sqliteDrivers } from './drivers.js'
import { client, headers, web } from './web.js'

// The suite on Node and on what is like it, with SQLite on files unless it is told `--without-files`.
const folder = mkdtempSync(join(tmpdir(), 'miftah-runtime-'))
let files = 0
const fileNames = () => join(folder, `${++files}.db`)
try {
  const results = [await headers(), await web(), await client(), await memoryContract()]
  const drivers = process.argv.includes('--without-files') ? [] : await sqliteDrivers()
  for (const driver of drivers) results.push(await sqliteContract(driver, fileNames))
  process.stdout.write(`results ${JSON.stringify(results)}\n`)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
