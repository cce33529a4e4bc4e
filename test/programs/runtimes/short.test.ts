import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { outputOf } from '../../support/package/child.ts'
import { ROOT } from '../../support/package/npm.ts'
import { bundle, FOR_WORKERS, resultsIn } from './suite.ts'

/*
 * The suite of `npm run runtimes` in short: the built package by its name, on this Node alone, with
 * Node's own SHA-256 and with the portable one.
 */

const MAIN = fileURLToPath(new URL('suite/main.js', import.meta.url))
// Inside the project, where a bundle finds what stays an import.
const folder = mkdtempSync(join(ROOT, 'node_modules/.portable-'))
afterAll(() => rmSync(folder, { recursive: true }))

async function run(...words: readonly string[]) {
  return resultsIn(await outputOf([process.execPath, ...words, '--without-files'], ROOT))
}

test('the built package on this Node, by its name', async () => {
  const { failures, passed } = await run('--conditions', 'node', MAIN)
  expect(failures).toEqual([])
  expect(passed).toBeGreaterThan(100)
})

test('the built package without anything of Node in its core', async () => {
  const file = join(folder, 'main.js')
  await bundle(MAIN, file, FOR_WORKERS)
  const { failures, passed } = await run(file)
  expect(failures).toEqual([])
  expect(passed).toBeGreaterThan(100)
})
