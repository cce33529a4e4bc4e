import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { outputOf } from '../support/package/child.ts'
import { ROOT } from '../support/package/npm.ts'
import { freshPath } from '../support/sqlite-files.ts'

const { bin, version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
const built = join(ROOT, bin.miftah)

const miftah = (...words: string[]) => outputOf([process.execPath, built, ...words], ROOT)

test('the built command knows its version', async () => {
  expect(await miftah('--version')).toBe(`${version}\n`)
})

test('the built command creates and lists a key', async () => {
  const on = ['-d', freshPath(), '-w', 'ws_1']
  await miftah('migrate', ...on.slice(0, 2))
  await miftah('create', ...on, '-n', 'CRM sync', '-e', 'live', '-s', 'contacts.read')
  expect(await miftah('list', ...on)).toContain('CRM sync')
})

test('a wrong command line ends with exit code 2', async () => {
  await expect(miftah('crate')).rejects.toMatchObject({ cause: { code: 2, stdout: '' } })
})
