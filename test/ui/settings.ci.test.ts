import { expect, test } from 'vitest'
import { defaultSettings, settingFrom } from '../../adapters/ui/tab/settings.ts'
import { tabTests } from '../support/settings-tab/browser.ts'

const { open } = tabTests()
const scripts = [
  'javascript:alert(1)',
  'JavaScript:alert(1)',
  ' javascript:alert(1)',
  'java\nscript:alert(1)',
  'java\tscript:alert(1)',
  '\u0001javascript:alert(1)',
  'data:text/html,<script>alert(1)</script>',
  'vbscript:x',
  'file:///etc/passwd',
  'blob:https://a.example/x',
  'https://',
]
const pages = ['', '/x', 'x?y#z', '//a.example', 'https://a.example']
const mail = 'mailto:a@b.example'

test.each([
  ['docsUrl', [...pages, mail], scripts],
  ['upgradeUrl', [...pages, mail], scripts],
  ['loginUrl', [...pages, mail], scripts],
  ['callUrl', pages, [...scripts, mail]],
  ['headingLevel', [1, 6], ['Infinity', '-1', '0', '7', '2.5', 'x', '', Number.NaN, {}]],
  ['defaultExpiry', ['never', '90'], ['31', 'soon', {}]],
  ['defaultOverlap', [0, 3_600], [1, 'soon', {}]],
] as const)('%s takes what the tab can follow, and else is its default', (name, good, bad) => {
  for (const value of good) expect(settingFrom(name, value)).toBe(value)
  for (const value of bad) expect(settingFrom(name, value)).toBe(defaultSettings[name])
})

test('a setting that is absent is the default', () => {
  for (const [name, value] of Object.entries(defaultSettings)) {
    for (const absent of [undefined, null]) {
      expect(settingFrom(name as keyof typeof defaultSettings, absent)).toBe(value)
    }
  }
})

test('links and headings of a page are safe as they are drawn', async () => {
  const attributes =
    'docs-url="javascript:alert(1)" login-url="java&#10;script:alert(1)" heading-level="Infinity"'
  const { page, tab, backend } = await open({ lang: 'en', attributes })
  const hrefs = () =>
    page.locator('#root a').evaluateAll((links) => links.map((link) => link.getAttribute('href')))
  expect(await page.getByRole('heading', { level: 2 }).count()).toBe(1)
  await tab.set({ upgradeUrl: 'javascript:alert(1)', headingLevel: '3' as never })
  await expect.poll(() => page.getByRole('heading', { level: 3 }).count()).toBe(1)
  backend.publicApi = false
  await tab.refresh()
  await page.locator('[part~=upgrade-link]').waitFor()
  expect(await hrefs()).toEqual(['/upgrade'])
  backend.always('GET /keys', { status: 401, body: null })
  await tab.refresh()
  await page.locator('#session-panel').waitFor()
  // Nowhere else: the page is loaded again.
  expect(await hrefs()).toEqual([''])
})

test('a base URL that paths cannot follow is reported', async () => {
  const { tab, page } = await open({
    before: () => {
      addEventListener('error', (event) => {
        event.preventDefault()
        document.title = event.message
      })
    },
  })
  await tab.set({ baseUrl: 'api?tenant=1' })
  await expect.poll(() => page.title()).toContain('baseUrl must have no query and no fragment')
})
