import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { ScriptedBackend } from '../support/settings-tab/backend.ts'
import { tabTests } from '../support/settings-tab/browser.ts'
import { strictPolicy } from '../support/settings-tab/site.ts'

const { open, site } = tabTests()
const root = new URL('../../', import.meta.url)
const textOf = (path: string) => readFile(new URL(path, root), 'utf8')
const PAGES = ['', '-customising'] as const
const guide = (await Promise.all(PAGES.map((page) => textOf(`docs/settings-tab${page}.md`)))).join(
  '\n',
)

test('the plain page of the guide works as it stands', async () => {
  const backend = new ScriptedBackend()
  site().files.set('/settings.js', here(fencesOf('js')[0]))
  const at = site().add({ html: here(fencesOf('html')[0]), backend })
  const { tab, page } = await open({ at })
  await tab.createKey({ name: 'From the guide' })
  expect(await page.locator('#last-change').textContent()).toBe('created From the guide')
  const tokens = backend.seen.map(({ headers }) => headers['x-csrf-token'])
  expect(new Set(tokens)).toEqual(new Set(['token-of-this-session']))
})

test('the guide shows the pages of React and Next.js as they run', async () => {
  expect(fencesOf('tsx')).toEqual([await textOf('examples/react-settings/settings-page.tsx')])
  const next = fencesIn(await textOf('docs/runtimes.md'), 'tsx')
  const page = await textOf('examples/nextjs/app/settings/plain/page.tsx')
  expect(next.map(here)).toEqual([page.replaceAll('/api/settings', 'api')])
})

test('the guide gives the policy of the tests', () => {
  expect(fencesOf('http')).toEqual([`Content-Security-Policy: ${strictPolicy}\n`])
})

/** The routes of a test page are below its own address. */
function here(text = ''): string {
  return text.replaceAll('/api/settings/api-keys', 'api')
}

const fencesOf = (mark: string) => fencesIn(guide, mark)

function fencesIn(text: string, mark: string): string[] {
  return text
    .split(/^```/m)
    .filter((piece) => piece.startsWith(`${mark}\n`))
    .map((piece) => piece.slice(mark.length + 1))
}
