import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { type Command, outputOf } from '../../support/package/child.ts'
import { ROOT } from '../../support/package/npm.ts'
import { bundle, FOR_WORKERS } from './bundle.ts'
import { failuresIn, passedIn, resultsIn } from './results.ts'

/*
 * The suite of `npm run runtimes` in short: the built package by its name, on this Node alone, with
 * Node's own SHA-256 and with the portable one.
 */

const suite = (file: string) => fileURLToPath(new URL(`suite/${file}`, import.meta.url))
// Inside the project, where a bundle finds what stays an import.
const folder = mkdtempSync(join(ROOT, 'node_modules/.portable-'))
afterAll(() => rmSync(folder, { recursive: true }))

async function run(...words: readonly string[]) {
  const command: Command = [process.execPath, ...words, '--without-files']
  return resultsIn(await outputOf(command, ROOT))
}

test('the built package on this Node, by its name', async () => {
  const results = await run('--conditions', 'node', suite('main.js'))
  expect(failuresIn(results)).toEqual([])
  expect(passedIn(results)).toBeGreaterThan(190)
})

test('the built package without anything of Node in its core', async () => {
  const file = join(folder, 'main.js')
  await bundle(suite('main.js'), file, FOR_WORKERS)
  const results = await run(file)
  expect(failuresIn(results)).toEqual([])
  expect(passedIn(results)).toBeGreaterThan(190)
})

test('a check that fails is a failure', async () => {
  const broken = 'results [{"name":"a","passed":1,"failures":["b: no"]}]'
  expect(failuresIn(resultsIn(`noise\n${broken} noise`))).toEqual(['a: b: no'])
  expect(() => resultsIn('nothing')).toThrow('no results')
})
