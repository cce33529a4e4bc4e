import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { manifestText } from '../../adapters/ui/build/manifest.ts'
import { tabFiles } from '../support/settings-tab/bundle.ts'

const run = promisify(execFile)

const { files, first, later } = await tabFiles()
const all = first.join('\n') + later

test('a page loads at most 40 kB at first, and at most 52 kB in all', () => {
  const weightOf = (text: string) => gzipSync(text, { level: 9 }).length
  const atFirst = first.map(weightOf).reduce((sum, bytes) => sum + bytes)
  expect(atFirst).toBeLessThanOrEqual(40_000)
  expect(atFirst + weightOf(later)).toBeLessThanOrEqual(52_000)
  expect([...files.values()].every((text) => text.includes('BSD-3-Clause'))).toBe(true)
})

test('no escape of a style sheet is left as a text, and no style looks into the rows from above', () => {
  expect(all.match(/content:\s*["'][^"']*\\+[0-9a-f]/gi)).toBeNull()
  expect(all).toContain('content:')
  // With one :has() in a sheet, Chromium walks through every row that it removes: 20 ms of 70 for 950.
  expect(all).not.toContain(':has(')
})

test('its files import nothing but each other', () => {
  const imported = [...files.values()].flatMap((text) =>
    [...text.matchAll(/\b(?:from|import)\s*\(?["']([^"']+)["']/g)].map(([, path]) => path),
  )
  expect(imported.length).toBeGreaterThan(2)
  expect(imported.filter((path) => !files.has(path?.replace('./', '') ?? ''))).toEqual([])
})

test('the tab can be imported where there is no DOM', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'miftah-tab-'))
  try {
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
    for (const [name, text] of files) await writeFile(join(folder, name), text)
    const program = `
      import * as tab from './settings-tab.js'
      console.log(JSON.stringify([Object.keys(tab), 'HTMLElement' in globalThis, typeof customElements]))`
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', program], {
      cwd: folder,
    })
    expect(JSON.parse(stdout)).toEqual([['ApiKeysTab'], false, 'undefined'])
  } finally {
    await rm(folder, { recursive: true })
  }
})

test('the manifest names every part and custom property, and no other', async () => {
  const manifest = await manifestText()
  const used = (pattern: RegExp, text: string) =>
    new Set([...text.matchAll(pattern)].map(([, name]) => name))
  const properties = used(/"name": "(--apikeys-[\w-]+)"/g, manifest)
  expect(properties).toEqual(used(/var\((--apikeys-[\w-]+)/g, all))
  const { cssParts } = JSON.parse(manifest).modules[0].declarations[0]
  const built = /^(banner|badge|rotate|revoke|status|stop)-/
  const parts = (cssParts as { name: string }[]).map(({ name }) => name)
  expect(parts.filter((name) => !all.includes(name) && !built.test(name))).toEqual([])
  // The looks of the example are made of them.
  const rules = await readFile(
    new URL('../../examples/host/public/looks.css', import.meta.url),
    'utf8',
  )
  const taken = [...rules.matchAll(/(?<=::part\()[\w-]+|--apikeys-[\w-]+/g)].map(String)
  expect(taken.length).toBeGreaterThan(50)
  expect(taken.filter((name) => !parts.includes(name) && !properties.has(name))).toEqual([])
})
