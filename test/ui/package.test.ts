import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { manifestText } from '../../adapters/ui/build/manifest.ts'
import { secondFile, secondFileName } from '../../adapters/ui/build/second-file.ts'
import { bundleOf } from '../support/settings-tab/bundle.ts'

const root = new URL('../../', import.meta.url)

const weightOf = (code: string) => gzipSync(code, { level: 9 }).length

test('a page loads at most 36 kB at first, and the second file has at most 21 kB', async () => {
  const module = await bundleOf('adapters/ui/define.ts')
  expect(module.match(/\bimport\s*[("'{*]|\bfrom\s*["']/g)).toEqual(['import(', 'import('])
  expect(module).toContain(`import("./${secondFileName}")`)
  expect(weightOf(module)).toBeLessThanOrEqual(36_000)
  expect(weightOf((await secondFile()).code)).toBeLessThanOrEqual(21_000)
  expect(module).toContain('BSD-3-Clause')
})

test.each(['define', 'element'])('%s can be imported where there is no DOM', async (entry) => {
  const folder = await mkdtemp(join(tmpdir(), 'miftah-tab-'))
  try {
    const path = join(folder, 'tab.mjs')
    await writeFile(path, await bundleOf(`adapters/ui/${entry}.ts`))
    const module = await import(/* @vite-ignore */ pathToFileURL(path).href)
    expect(Object.keys(module)).toEqual(entry === 'element' ? ['ApiKeysTab'] : [])
  } finally {
    await rm(folder, { recursive: true })
  }
})

test('custom-elements.json says what the source says', async () => {
  const written = await readFile(new URL('custom-elements.json', root), 'utf8')
  expect(written === (await manifestText()), 'stale: run npm run manifest').toBe(true)
})

test('the manifest names every part and custom property, and no other', async () => {
  const manifest = await manifestText()
  const markup = (await bundleOf('adapters/ui/define.ts')) + (await secondFile()).code
  const used = (pattern: RegExp, text: string) =>
    new Set([...text.matchAll(pattern)].map(([, name]) => name))
  expect(used(/"name": "(--apikeys-[\w-]+)"/g, manifest)).toEqual(
    used(/var\((--apikeys-[\w-]+)/g, markup),
  )
  const { cssParts } = JSON.parse(manifest).modules[0].declarations[0]
  for (const { name } of cssParts as { name: string }[]) {
    expect(markup.includes(name) || /^(banner|badge|rotate|revoke|stop)-/.test(name), name).toBe(
      true,
    )
  }
})

test('the package names the entries and the manifest', async () => {
  const { exports, customElements, files, sideEffects } = JSON.parse(
    await readFile(new URL('package.json', root), 'utf8'),
  )
  expect(exports).toMatchObject({
    './client': { default: './dist/client.js' },
    './settings-tab': './dist/settings-tab.js',
    './settings-tab/element': './dist/settings-tab-element.js',
  })
  expect([customElements, sideEffects]).toEqual([
    'custom-elements.json',
    ['./dist/settings-tab.js', './dist/cli.js'],
  ])
  expect(files).toContain(customElements)
})
