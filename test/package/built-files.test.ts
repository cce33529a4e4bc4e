import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { npm, ROOT } from '../support/package/npm.ts'

// The last step of a build: biome reads what the bundlers wrote.
const check = (...more: readonly string[]) => npm(ROOT, 'run', 'check:built', '--', ...more)

test('every built file parses and uses only declared names', () => {
  expect(check()).toMatch(/Checked \d+ files/)
})

test.each([
  ['a missing helper', 'exports.first=a=>{return_nullishCoalesce(a,()=>1)}'],
  ['a syntax error', 'exports.A=class{constructor(){;,this.a=1}}'],
])('%s fails the build', (_, code) => {
  const folder = mkdtempSync(join(tmpdir(), 'miftah-built-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'broken.cjs'), code)
  expect(() => check(folder)).toThrow(/check:built/)
})

test.each(['.cjs', '.js'])('the %s entries share one copy of each error', (ending) => {
  const files = readdirSync(join(ROOT, 'dist')).filter(
    (name) => name.endsWith(ending) && !/^(?:cli|settings-tab)\b/.test(name),
  )
  const texts = files.map((name) => readFileSync(join(ROOT, 'dist', name), 'utf8'))
  for (const error of ['ApiKeyError', 'OutageError', 'StorageError', 'ManagementError']) {
    const definition = new RegExp(`${error} ?= ?class|class ${error}\\b`)
    expect(texts.filter((text) => definition.test(text))).toHaveLength(1)
  }
})
