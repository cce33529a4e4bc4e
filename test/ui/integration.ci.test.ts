import { expect, test } from 'vitest'
import { ScriptedBackend } from '../support/settings-tab/backend.ts'
import { tabTests } from '../support/settings-tab/browser.ts'
import { catalogue } from '../support/settings-tab/catalogue.ts'
import { keyOf, listOf } from '../support/settings-tab/keys.ts'

type Tab = HTMLElementTagNameMap['api-keys-tab']

const { open, site } = tabTests()

test('two tabs on one page keep their secrets and events apart', async () => {
  const tag = '<api-keys-tab base-url="api"></api-keys-tab>'
  const { page, backend } = await open({
    lang: 'en',
    main: tag + tag.replace('>', ' hide-heading>'),
  })
  const second = page.locator('api-keys-tab').nth(1)
  await second.locator('#new-key').click()
  await second.locator('#create-name').fill('Second')
  await second.locator('#env-test').check({ force: true })
  await second.locator('#scopes-all').click()
  await second.locator('[data-act=submit]').click()
  await second.locator('section.banner').waitFor()
  expect(await page.locator('api-keys-tab').first().locator('section.banner').count()).toBe(0)
  expect(await second.locator('[part=secret]').textContent()).toBe(backend.secrets[0])
})

test('what was set before the element is defined counts', async () => {
  const { tab, page } = await open({
    lang: 'en',
    main: '<div id="later"></div>',
    atOnce: true,
    before: () => {
      addEventListener('DOMContentLoaded', () => {
        const early = document.createElement('api-keys-tab') as Tab
        Object.assign(early, {
          strings: { en: { new: 'Mint a key' } },
          baseUrl: 'api',
          headingLevel: 3,
        })
        document.querySelector('#later')?.append(early)
      })
    },
  })
  await tab.ready()
  expect(await tab.newKey.innerText()).toContain('Mint a key')
  expect(await page.getByRole('heading', { level: 3 }).innerText()).toBe('API keys')
})

test('a tab with defer-hydration draws and loads nothing until it is removed', async () => {
  const { tab, backend } = await open({
    lang: 'en',
    attributes: 'defer-hydration',
    atOnce: true,
  })
  await tab.host.evaluate(async (element: Tab) => {
    await customElements.whenDefined('api-keys-tab')
    element.strings = { en: { new: 'Mint a key' } }
    await element.updateComplete
  })
  expect(await tab.newKey.count()).toBe(0)
  expect(backend.seen).toEqual([])
  await tab.host.evaluate((element) => element.removeAttribute('defer-hydration'))
  await tab.ready()
  expect(await tab.newKey.innerText()).toContain('Mint a key')
})

test('a tab that leaves the page stops asking', async () => {
  const backend = new ScriptedBackend()
  const { arrived, release } = backend.hold('GET /keys')
  const { page, tab } = await open({ backend, atOnce: true })
  const failed = page.waitForEvent('requestfailed')
  await arrived
  await page.evaluate(() => document.querySelector('api-keys-tab')?.remove())
  expect((await failed).failure()?.errorText).toBe('net::ERR_ABORTED')
  release()
  expect(await tab.events('api-keys-error')).toEqual([])
})

test('an answer that comes after the tab has left shows nothing anywhere', async () => {
  const { page, tab, backend } = await open()
  const { arrived, release } = backend.hold('POST /keys')
  await tab.send()
  await arrived
  const answered = page.waitForResponse((response) => response.request().method() === 'POST')
  const markup = await page.evaluateHandle(() => {
    const tab = document.querySelector('api-keys-tab')
    tab?.remove()
    return tab?.shadowRoot
  })
  release()
  await (await answered).finished()
  expect(await markup.evaluate((root) => root?.innerHTML)).not.toContain('TESTONLYdoNOTuse')
  expect(await tab.events('pending-secret-change')).toEqual([])
  const asked = () => backend.requests('GET /keys').length
  const before = asked()
  await page.evaluate(() => fetch('api/after'))
  expect([asked(), before]).toEqual([2, 2])
})

test('events bubble, are composed, and never hold the key', async () => {
  const { tab, page } = await open({ lang: 'en' })
  await tab.createKey({ name: 'Mine', environment: 'test', scopes: ['leads.read'] })
  await tab.copyButton.click()
  await tab.ask('rotate', 'key_store')
  await tab.confirm()
  await page.locator('section.rotated').waitFor()
  await tab.ask('revoke', 'key_test')
  await tab.confirm()
  await expect.poll(() => tab.events('api-key-revoked')).toHaveLength(1)
  const { events } = await tab.record()
  expect(
    events.every(({ detail }) => JSON.stringify(detail).includes('"bubbles":true,"composed":true')),
  ).toBe(true)
  expect(JSON.stringify(events)).not.toContain('TESTONLYdoNOTuse')
  expect(await tab.events('api-key-created')).toEqual([
    {
      id: 'key_new1',
      name: 'Mine',
      environment: 'test',
      scopes: ['leads.read'],
      bubbles: true,
      composed: true,
    },
  ])
  expect(await tab.events('api-keys-load')).toContainEqual({
    count: 3,
    active: 2,
    bubbles: true,
    composed: true,
  })
})

test('a page can bring its own client', async () => {
  const key = keyOf({ id: 'key_own', name: 'Own' })
  const { tab, page, backend } = await open({ lang: 'en', main: '<p></p>', atOnce: true })
  await page.evaluate(
    ({ list, key, scopes }) => {
      const tab = document.createElement('api-keys-tab')
      const known = {
        listKeys: async () => list,
        listScopes: async () => scopes,
        createKey: async ({ name }: { name: string }) => ({
          key: { ...key, id: 'key_2', name },
          secret: 'svc_live_k00TESTONLYdoNOTuse',
        }),
      }
      tab.client = new Proxy(known as never, {
        get: (target, name) =>
          Reflect.get(target, name) ?? (() => Promise.reject(new Error('not in this test'))),
      })
      document.querySelector('p')?.append(tab)
    },
    { list: listOf([key]), key, scopes: { groups: catalogue.groups.slice(0, 2) } },
  )
  await tab.ready()
  await tab.openCreate()
  expect(await tab.createDialog.locator('[part=scope-group]').count()).toBe(2)
  await tab.fill()
  await tab.submit.click()
  await expect.poll(() => tab.secret.textContent()).toBe('svc_live_k00TESTONLYdoNOTuse')
  expect(backend.seen).toEqual([])
})

test('the class can be defined under another name', async () => {
  site().script('/own-name.js', ownName)
  const { page } = await open({
    lang: 'en',
    main: '<acme-keys base-url="api"></acme-keys>',
    scripts: ['/own-name.js'],
  })
  expect(await page.locator('acme-keys table').isVisible()).toBe(true)
})

test('parts, slots and settings are the page’s to use', async () => {
  const content = '<p slot="banner">foot</p>'
  const attributes = 'lang="en" docs-url="/guide" user-id="u_2" readonly heading-level="4"'
  const { tab, page } = await open({ content, attributes })
  expect(await page.locator('#root').getAttribute('dir')).toBe('ltr')
  expect(await page.getByRole('heading', { level: 4, name: 'API keys' }).isVisible()).toBe(true)
  expect(await page.getByRole('link', { name: 'Integration guide' }).getAttribute('href')).toBe(
    '/guide',
  )
  expect(await tab.row('key_test').locator('[part=creator]').innerText()).toBe('by you')
  expect(await tab.newKey.count()).toBe(0)
  expect(await tab.rows.locator('.actions button').count()).toBe(0)
  const about = await tab.host.evaluate((element: Tab) => [
    element.state,
    element.activeCount,
    element.timeZone,
  ])
  expect(about).toEqual(['list', 2, ''])
})

test('the language changes at run time, with the dialog and its draft', async () => {
  const { tab, page } = await open()
  await tab.openCreate()
  await tab.fill({ name: 'Draft' })
  await page.evaluate(() => {
    document.documentElement.lang = 'en'
    document.documentElement.dir = 'ltr'
  })
  await expect.poll(() => page.locator('#create-title').innerText()).toBe('New API key')
  expect(await tab.createDialog.getAttribute('dir')).toBe('ltr')
  expect(await page.locator('#create-name').inputValue()).toBe('Draft')
  expect(await page.locator('[part=scope] span').first().innerText()).toBe('Send')
  await tab.host.evaluate((element) => element.setAttribute('lang', 'ar'))
  await expect.poll(() => page.locator('#create-title').innerText()).toBe('مفتاح API جديد')
  expect(await tab.createDialog.getAttribute('dir')).toBe('rtl')
})

const ownName = `import { ApiKeysTab } from './settings-tab.js'
customElements.define('acme-keys', class extends ApiKeysTab {})`
