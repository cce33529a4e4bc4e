import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { defaultSettings, settingFrom } from '../../adapters/ui/tab/settings.ts'
import { tabTests } from '../support/settings-tab/browser.ts'

type Tab = HTMLElementTagNameMap['api-keys-tab']

const { open } = tabTests()
const names = Object.keys(defaultSettings) as (keyof typeof defaultSettings)[]

test.each(names)('%s that is absent is the default', (name) => {
  for (const absent of [undefined, null]) {
    expect(settingFrom(name, absent)).toBe(defaultSettings[name])
  }
})

const links = ['docsUrl', 'upgradeUrl', 'loginUrl'] as const
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

test.each(links)('%s leads to pages and to mail, and to no script', (name) => {
  for (const address of scripts) expect(settingFrom(name, address)).toBe(defaultSettings[name])
  for (const address of [
    '',
    '/x',
    'x?y#z',
    '//a.example',
    'https://a.example',
    'mailto:a@b.example',
  ]) {
    expect(settingFrom(name, address)).toBe(address)
  }
})

test('a call goes to a page, not to mail', () => {
  for (const address of [...scripts, 'mailto:a@b.example']) {
    expect(settingFrom('callUrl', address)).toBe('')
  }
  expect(settingFrom('callUrl', 'https://a.example/v1')).toBe('https://a.example/v1')
})

test.each(['Infinity', '-1', '0', '7', '2.5', 'x', '', Number.NaN, {}])(
  'no heading has the level %j',
  (level) => expect(settingFrom('headingLevel', level)).toBe(2),
)

test('links and headings of a page are safe as they are drawn', async () => {
  const attributes =
    'docs-url="javascript:alert(1)" login-url="java&#10;script:alert(1)" heading-level="Infinity"'
  const { page, tab, backend } = await open({ lang: 'en', attributes })
  expect(await tab.page.getByRole('heading', { level: 2 }).count()).toBe(1)
  await tab.host.evaluate((element: Tab) => {
    element.upgradeUrl = 'javascript:alert(1)'
    element.headingLevel = '3' as never
  })
  await expect.poll(() => page.getByRole('heading', { level: 3 }).count()).toBe(1)
  backend.publicApi = false
  await tab.refresh()
  await page.locator('[part~=upgrade-link]').waitFor()
  expect(await hrefs(page)).toEqual(['/upgrade'])
  backend.always('GET /keys', { status: 401, body: null })
  await tab.refresh()
  await page.locator('#session-panel').waitFor()
  // Nowhere else: the page is loaded again.
  expect(await hrefs(page)).toEqual([''])
})

function hrefs(page: Page): Promise<(string | null)[]> {
  return page
    .locator('api-keys-tab #root a')
    .evaluateAll((links) => links.map((link) => link.getAttribute('href')))
}
