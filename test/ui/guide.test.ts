import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { manifestText } from '../../adapters/ui/build/manifest.ts'
import { tokens } from '../../adapters/ui/styles/tokens.ts'
import { attributeOf, defaultSettings } from '../../adapters/ui/tab/settings.ts'
import { ScriptedBackend } from '../support/settings-tab/backend.ts'
import { tabTests } from '../support/settings-tab/browser.ts'
import { strictPolicy } from '../support/settings-tab/site.ts'
import { TabPage } from '../support/settings-tab/tab-page.ts'

const { browser, site } = tabTests()
const root = new URL('../../', import.meta.url)
const textOf = (path: string) => readFile(new URL(path, root), 'utf8')
const PAGES = ['', '-customising'] as const
const guide = (await Promise.all(PAGES.map((page) => textOf(`docs/settings-tab${page}.md`)))).join(
  '\n',
)
const { attributes, cssParts, cssProperties, cssStates, events, slots } = JSON.parse(
  await manifestText(),
).modules[0].declarations[0] as Record<string, { name: string }[]>

test('the plain page of the guide works as it stands', async () => {
  const backend = new ScriptedBackend()
  const url = site().add({ html: here(fencesOf('html')[0]), backend })
  site().script('/settings.js', here(fencesOf('js')[0]))
  const page = await browser().newPage()
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(String(error)))
  page.on('console', (message) => message.type() === 'error' && faults.push(message.text()))
  await page.goto(url)
  const tab = await new TabPage(page, 'ar').ready()
  await tab.createKey({ name: 'From the guide' })
  expect(await page.locator('#last-change').textContent()).toBe('created From the guide')
  const tokens = backend.seen.map(({ headers }) => headers['x-csrf-token'])
  expect(new Set(tokens)).toEqual(new Set(['token-of-this-session']))
  expect(faults.filter((fault) => !fault.includes('favicon'))).toEqual([])
  await page.close()
})

test('the guide shows the pages of the frameworks as they run', async () => {
  const app = (file: string) => textOf(`test/programs/fresh-apps/${file}`)
  expect(fencesOf('tsx')).toEqual([await textOf('examples/react-settings/settings-page.tsx')])
  expect(fencesOf('vue')).toEqual([await app('vite/vue/App.vue')])
  expect(fencesOf('js')).toContain(await app('vite/vue/vite.config.js'))
  expect(fencesOf('svelte')).toEqual([await app('vite/svelte/App.svelte')])
  const next = fencesIn(await textOf('docs/runtimes.md'), 'tsx')
  const page = await textOf('examples/nextjs/app/settings/plain/page.tsx')
  expect(next.map(here)).toEqual([atApi(page)])
})

test('the guide gives the policy of the tests', () => {
  expect(fencesOf('http')).toEqual([`Content-Security-Policy: ${strictPolicy}\n`])
})

test('the guide names every setting with its attribute and default', () => {
  const rows = rowsOf('Settings').map(([property, attribute, initial]) => [
    property,
    attribute,
    initial,
  ])
  expect(rows).toEqual(
    Object.entries(defaultSettings).map(([name, value]) => [
      name,
      attributeOf(name as keyof typeof defaultSettings) ?? '',
      name === 'timeZone' ? "the browser's" : writtenDefault(value),
    ]),
  )
  const named = [
    ...rows.map(([, attribute]) => attribute),
    'lang',
    'dir',
    'defer-hydration',
  ].filter(Boolean)
  expect(named.sort()).toEqual(namesOf(attributes))
})

test('the guide names every event, slot, state, part and custom property', () => {
  expect(firstCells('Events')).toEqual(namesOf(events))
  const named = firstCells('Slots').flatMap((names) => names.split(' '))
  expect(named.sort()).toEqual(namesOf(slots))
  const state = /`api-keys-tab:state\(…\)` matches (.*)\./.exec(guide)?.[1] ?? ''
  expect(codesIn(state)).toEqual(namesOf(cssStates))
  const theme = rowsOf('Theme')
  const parts = theme.flatMap(([, parts = '']) => (parts.includes(' ') ? parts.split(' ') : []))
  const known = namesOf(cssParts)
  expect(known.filter((name) => !parts.includes(name))).toEqual([])
  expect(firstCells('Theme').filter((name) => name.startsWith('--'))).toEqual(
    namesOf(cssProperties),
  )
})

test('the guide gives the default of every custom property', () => {
  const rows = new Map(rowsOf('Theme').map(([name = '', ...cells]) => [name, cells]))
  for (const [, name = '', value = ''] of tokens.matchAll(/var\((--apikeys-[\w-]+), (.+)\);/g)) {
    const [, light, dark] = /^light-dark\((.+), (.+)\)$/.exec(value) ?? []
    const shown = rows.get(name)?.slice(0, light ? 2 : 1)
    expect([name, shown]).toEqual([name, light ? [light, dark] : [value]])
  }
})

/** The routes of a test page are below its own address. */
function here(text = ''): string {
  return text.replaceAll('/api/settings/api-keys', 'api')
}

/** The routes of the application of Next.js. */
function atApi(text: string): string {
  return text.replaceAll('/api/settings', 'api')
}

function fencesOf(mark: string): string[] {
  return fencesIn(guide, mark)
}

function fencesIn(text: string, mark: string): string[] {
  return text
    .split(/^```/m)
    .filter((piece) => piece.startsWith(`${mark}\n`))
    .map((piece) => piece.slice(mark.length + 1))
}

/** The rows of the tables in a section, without their heads, and without the marks of code. */
function rowsOf(section: string): string[][] {
  const text = guide.split(/^## /m).find((part) => part.startsWith(`${section}\n`)) ?? ''
  const rows = text.split('\n').filter((line) => line.startsWith('| '))
  return rows
    .filter((line, at) => !line.startsWith('| ---') && !rows[at + 1]?.startsWith('| ---'))
    .map((line) =>
      line
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim().replaceAll('`', '')),
    )
}

function firstCells(section: string): string[] {
  return rowsOf(section)
    .map(([name = '']) => name)
    .sort()
}

function codesIn(text: string): string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name).sort()
}

function namesOf(entries: readonly { readonly name: string }[] = []): string[] {
  return entries.map(({ name }) => name).sort()
}

function writtenDefault(value: unknown): string {
  if (value === '') return 'none'
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
