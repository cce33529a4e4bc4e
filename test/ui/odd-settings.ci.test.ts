import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { defaultSettings, settingFrom } from '../../adapters/ui/tab/settings.ts'
import { tabTests } from '../support/settings-tab/browser.ts'
import { reactBundle } from '../support/settings-tab/react.ts'

type Tab = HTMLElementTagNameMap['api-keys-tab']

const { open, site } = tabTests()
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
  expect(await hrefs(page)).toEqual([])
})

test('the tab draws on when every property is taken back', async () => {
  const { tab } = await open({ lang: 'en', main: '<api-keys-tab></api-keys-tab>', atOnce: true })
  for (const absent of [undefined, null]) {
    await tab.host.evaluate((element: Tab, value) => {
      Object.assign(element, { strings: { en: { new: 'Mint' } }, headingLevel: 4, theme: 'dark' })
      for (const name of ['strings', 'scopes', 'client', 'getHeaders', 'headingLevel', 'theme']) {
        Reflect.set(element, name, value)
      }
      Object.assign(element, { numerals: value, calendar: value, timeZone: value, userId: value })
      Object.assign(element, { docsUrl: value, upgradeUrl: value, loginUrl: value })
      Object.assign(element, { dismissGuard: value, hideHeading: value, readonly: value })
      element.baseUrl = 'api'
    }, absent)
    await tab.ready()
    expect(await tab.newKey.innerText()).toContain('New key')
    expect(await tab.rows.count()).toBe(2)
    expect(
      await tab.host.evaluate((element: Tab) => [element.strings, element.headingLevel]),
    ).toEqual([{}, 2])
  }
  await tab.createKey()
})

test('a React 19 page that takes its props back loses no key that is being created', async () => {
  site().script('/taking-back.js', await reactBundle(takingBack))
  const { tab, page, backend } = await open({
    lang: 'en',
    main: '<div id="app"></div><button id="take">Take back</button>',
    scripts: ['/taking-back.js'],
  })
  expect(await tab.newKey.innerText()).toContain('Mint')
  const { arrived, release } = backend.hold('POST /keys')
  await tab.send()
  await arrived
  await page.locator('#take').evaluate((button) => button.dispatchEvent(new Event('click')))
  await expect.poll(() => tab.newKey.innerText()).toContain('New key')
  release()
  await tab.banners.first().waitFor()
  expect(await tab.secret.textContent()).toBe(backend.secrets[0])
  await tab.copyButton.click()
  await tab.openCreate()
  expect(await tab.createDialog.locator('[part=scope-group]').count()).toBe(11)
})

const takingBack = `import 'miftah/settings-tab'
  import { createElement, useState } from 'react'
  import { createRoot } from 'react-dom/client'
  const given = {
    strings: { en: { new: 'Mint' } },
    headingLevel: 3,
    numerals: 'arab',
    timeZone: 'Asia/Riyadh',
    docsUrl: '/docs',
    scopes: { groups: [] },
    getHeaders: () => ({ 'X-Given': 'yes' }),
  }
  const scopes = { groups: [{ id: 'contacts', label: { en: 'Contacts' }, scopes: [
    { scope: 'contacts.read', label: { en: 'Read contacts' } } ] }] }
  function Page() {
    const [props, setProps] = useState({ ...given, scopes })
    document.querySelector('#take').onclick = () => setProps({})
    return createElement('api-keys-tab', { baseUrl: 'api', ...props })
  }
  createRoot(document.querySelector('#app')).render(createElement(Page))`

function hrefs(page: Page): Promise<(string | null)[]> {
  return page
    .locator('api-keys-tab #root a')
    .evaluateAll((links) => links.map((link) => link.getAttribute('href')))
}
