import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sqliteContract } from './contracts.js'
import { sqliteDrivers } from './drivers.js'
import { runSuite } from './suite.js'

/**
 * The suite on Node and on what is like it: all groups, and SQLite on files of a temporary folder,
 * unless it is told `--without-files`.
 */
const folder = mkdtempSync(join(tmpdir(), 'miftah-runtime-'))
let files = 0
const fileNames = () => join(folder, `${++files}.db`)
try {
  const results = await runSuite()
  const drivers = process.argv.includes('--without-files') ? [] : await sqliteDrivers()
  for (const driver of drivers) results.push(await sqliteContract(driver, fileNames))
  process.stdout.write(`results ${JSON.stringify(results)}\n`)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
