import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { manifestText } from '../../adapters/ui/build/manifest.ts'
import { firstText, LATER, laterText, tabFiles } from '../support/settings-tab/bundle.ts'

const run = promisify(execFile)

test('a page loads at most 40 kB at first, and at most 58 kB in all', async () => {
  const { files, first } = await tabFiles()
  const weightOf = (name: string) => gzipSync(files.get(name) ?? '', { level: 9 }).length
  const atFirst = first.reduce((sum, name) => sum + weightOf(name), 0)
  expect(atFirst).toBeLessThanOrEqual(40_000)
  expect(atFirst + weightOf(LATER)).toBeLessThanOrEqual(58_000)
  expect([...files.values()].every((text) => text.includes('BSD-3-Clause'))).toBe(true)
})

test('no escape of a style sheet is left as a text', async () => {
  const text = (await firstText()) + (await laterText())
  expect(text.match(/content:\s*["'][^"']*\\+[0-9a-f]/gi)).toBeNull()
  expect(text).toContain('content:')
})

test('its files import nothing but each other', async () => {
  const { files } = await tabFiles()
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
    for (const [name, text] of (await tabFiles()).files) await writeFile(join(folder, name), text)
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
  const markup = (await firstText()) + (await laterText())
  const used = (pattern: RegExp, text: string) =>
    new Set([...text.matchAll(pattern)].map(([, name]) => name))
  expect(used(/"name": "(--apikeys-[\w-]+)"/g, manifest)).toEqual(
    used(/var\((--apikeys-[\w-]+)/g, markup),
  )
  const { cssParts } = JSON.parse(manifest).modules[0].declarations[0]
  for (const { name } of cssParts as { name: string }[]) {
    expect(
      markup.includes(name) || /^(banner|badge|rotate|revoke|status|stop)-/.test(name),
      name,
    ).toBe(true)
  }
})
