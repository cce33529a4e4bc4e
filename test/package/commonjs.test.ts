import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { ENTRIES } from '../support/entries.ts'
import { ROOT } from '../support/package/npm.ts'

/** Prints the exports of each entry that it requires. */
const PROGRAM = `
const names = process.argv.slice(1).map((entry) => [entry, Object.keys(require(entry)).sort()])
console.log(JSON.stringify(Object.fromEntries(names)))
`

test('a CommonJS program gets what a module imports, and Node warns of nothing', async () => {
  const words = ['--input-type=commonjs', '--eval', PROGRAM, ...ENTRIES.keys()]
  const { stdout, stderr } = spawnSync(process.execPath, words, { cwd: ROOT, encoding: 'utf8' })
  expect(stderr).toBe('')
  const required = JSON.parse(stdout)
  expect(Object.keys(required)).toHaveLength(ENTRIES.size)
  for (const [entry, names] of Object.entries(required)) {
    expect([entry, names]).toEqual([entry, Object.keys(await import(entry)).sort()])
  }
})
