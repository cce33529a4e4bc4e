import { expect, test } from 'vitest'
import { ScriptedBackend } from '../support/settings-tab/backend.ts'
import { tabTests } from '../support/settings-tab/browser.ts'
import { catalogue } from '../support/settings-tab/catalogue.ts'
import { keyOf, listOf } from '../support/settings-tab/keys.ts'

type Tab = HTMLElementTagNameMap['api-keys-tab']

const { open, site } = tabTests()
const tag = '<api-keys-tab base-url="api"></api-keys-tab>'

test('two tabs on one page keep their secrets and events apart', async () => {
  const { page, backend } = await open({ lang: 'en', main: tag + tag })
  const [first, second] = [0, 1].map((at) => page.locator('api-keys-tab').nth(at))
  await second?.locator('#new-key').click()
  await second?.locator('#create-name').fill('Second')
  await second?.locator('#env-test').check({ force: true })
  await second?.locator('#scopes-all').click()
  await second?.locator('[data-act=submit]').click()
  await second?.locator('section.banner').waitFor()
  expect(await first?.locator('section.banner').count()).toBe(0)
  expect(await second?.locator('[part=secret]').textContent()).toBe(backend.secrets[0])
})

test('what was set before the element is defined counts', async () => {
  const { tab, page } = await open({
    lang: 'en',
    main: '<div id="later"></div>',
    atOnce: true,
    before: () => {
      addEventListener('DOMContentLoaded', () => {
        const early = document.createElement('api-keys-tab')
        const strings = { en: { new: 'Mint a key' } }
        Object.assign(early, { strings, baseUrl: 'api', headingLevel: 3 })
        document.querySelector('#later')?.append(early)
      })
    },
  })
  await tab.ready()
  expect(await tab.newKey.innerText()).toContain('Mint a key')
  expect(await page.getByRole('heading', { level: 3 }).innerText()).toBe('API keys')
})

test('a tab that leaves the page stops asking', async () => {
  const backend = new ScriptedBackend()
  const { arrived, release } = backend.hold('GET /keys')
  const { page, tab } = await open({ backend, atOnce: true })
  const failed = page.waitForEvent('requestfailed')
  await arrived
  await tab.host.evaluate((element) => element.remove())
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
  const element = await tab.host.elementHandle()
  await element?.evaluate((element) => element.remove())
  release()
  await (await answered).finished()
  const markup = await element?.evaluate(({ shadowRoot }) => shadowRoot?.innerHTML)
  expect(markup).not.toContain('TESTONLYdoNOTuse')
  expect(await tab.events('pending-secret-change')).toEqual([])
  await page.evaluate(() => fetch('api/after'))
  expect(backend.requests('GET /keys')).toHaveLength(2)
})

test('events bubble, are composed, and never hold the key', async () => {
  const { tab } = await open({ lang: 'en' })
  await tab.createKey({ name: 'Mine', environment: 'test', scopes: ['leads.read'] })
  await tab.copyButton.click()
  await tab.rotate()
  await tab.revoke('key_test')
  await expect.poll(() => tab.events('api-key-revoked')).toHaveLength(1)
  const { events } = await tab.record()
  const both = { bubbles: true, composed: true }
  for (const { detail } of events) expect(detail).toMatchObject(both)
  expect(JSON.stringify(events)).not.toContain('TESTONLYdoNOTuse')
  const fields = { id: 'key_new1', name: 'Mine', environment: 'test', scopes: ['leads.read'] }
  expect(await tab.events('api-key-created')).toEqual([{ ...fields, ...both }])
  expect(await tab.events('api-keys-load')).toContainEqual({ count: 3, active: 2, ...both })
})

test('a page can bring its own client, whose answers are checked as well', async () => {
  const key = keyOf({ id: 'key_own', name: 'Own' })
  const { tab, page, backend } = await open({ lang: 'en', main: '<p></p>', atOnce: true })
  const given = { list: listOf([key]), scopes: { groups: catalogue.groups.slice(0, 2) } }
  await page.evaluate(
    ({ list, scopes, answer }) => {
      const tab = document.createElement('api-keys-tab')
      const createKey = async ({ name }: { name: string }) => (name === 'Odd' ? {} : answer)
      const known = { listKeys: async () => list, listScopes: async () => scopes, createKey }
      tab.client = new Proxy(known as never, {
        get: (target, name) =>
          Reflect.get(target, name) ?? (() => Promise.reject(new Error('not in this test'))),
      })
      document.querySelector('p')?.append(tab)
    },
    { ...given, answer: { key, secret: 'svc_live_k00TESTONLYdoNOTuse' } },
  )
  await tab.ready()
  await tab.openCreate()
  expect(await tab.createDialog.locator('[part=scope-group]').count()).toBe(2)
  await tab.fill({ name: 'Odd' })
  await tab.submit.click()
  await expect.poll(() => tab.alert.innerText()).toContain(tab.strings['e.unknown'])
  await tab.fill()
  await tab.submit.click()
  await expect.poll(() => tab.secret.textContent()).toBe('svc_live_k00TESTONLYdoNOTuse')
  expect(backend.seen).toEqual([])
})

test('the class can be defined under another name', async () => {
  const ownName = `import { ApiKeysTab } from './settings-tab.js'
    customElements.define('acme-keys', class extends ApiKeysTab {})`
  site().files.set('/own-name.js', ownName)
  const main = '<acme-keys base-url="api"></acme-keys>'
  const { page } = await open({ lang: 'en', main, scripts: ['/own-name.js'] })
  expect(await page.locator('acme-keys table').isVisible()).toBe(true)
})

test('slots and settings are the page’s to use', async () => {
  const slots = ['banner', 'form', 'menu', 'details']
  const content = slots.map((slot) => `<p slot="${slot}">of ${slot}</p>`).join('')
  const attributes = 'lang="en" docs-url="/guide" user-id="u_2" heading-level="4"'
  const { tab, page } = await open({ content, attributes })
  const shown = (slot: string) => page.getByText(`of ${slot}`).isVisible()
  expect(await page.locator('#root').getAttribute('dir')).toBe('ltr')
  expect(await page.getByRole('heading', { level: 4, name: 'API keys' }).isVisible()).toBe(true)
  const guide = page.getByRole('link', { name: 'Integration guide' })
  expect(await guide.getAttribute('href')).toBe('/guide')
  expect(await tab.row('key_test').locator('[part=creator]').innerText()).toBe('by you')
  await tab.row('key_store').locator('[part=menu-button]').click()
  await expect.poll(() => shown('menu')).toBe(true)
  await page.keyboard.press('Escape')
  await tab.openCreate()
  expect(await shown('form')).toBe(true)
  await tab.fill()
  await tab.submit.click()
  await expect.poll(() => shown('banner')).toBe(true)
  const found = await tab.host.evaluate(async (element: Tab) => [
    await element.openDetails('key_none'),
    await element.openDetails('key_store'),
    element.openKey,
    element.state,
    element.activeCount,
    element.timeZone,
  ])
  expect(found).toEqual([false, true, 'key_store', 'list', 3, ''])
  expect(await shown('details')).toBe(true)
  await page.keyboard.press('Escape')
  await tab.set({ readonly: true, hideHeading: true })
  await expect.poll(() => tab.newKey.count()).toBe(0)
  expect(await tab.rows.locator('.actions button').count()).toBe(0)
  expect(await page.getByRole('heading', { level: 4 }).count()).toBe(0)
})

test('a page opens the create dialog, with its expiry, and can prevent the creation', async () => {
  const { tab, page, backend } = await open({ lang: 'en', attributes: 'default-expiry="30"' })
  await tab.host.evaluate((element: Tab) => element.openCreate())
  await tab.prevent('before-create')
  await tab.createDialog.locator('[data-scope]').first().waitFor()
  await tab.fill({ name: 'CI' })
  expect(await page.locator('#create-expiry').inputValue()).toBe('30')
  expect(await page.locator('#create-expiry-hint').innerText()).toContain(
    'Works until the end of December 21, 2026.',
  )
  await tab.submit.click()
  await expect.poll(() => tab.events('before-create')).toMatchObject([{ name: 'CI' }])
  expect(backend.requests('POST')).toEqual([])
  expect(await tab.createDialog.isVisible()).toBe(true)
})

test('a new base-url shows nothing of the former one while it loads', async () => {
  const { tab, page } = await open({ lang: 'en' })
  const there = new ScriptedBackend([keyOf({ id: 'key_there' })], { workspaceId: 'ws_2' })
  const { pathname } = new URL(site().add({ html: '', backend: there }))
  const list = there.hold('GET /keys')
  await tab.ask('revoke', 'key_store')
  await tab.set({ baseUrl: `${pathname}api` })
  await list.arrived
  await page.locator('[part=skeleton]').waitFor()
  expect([await tab.rows.count(), await tab.allowance.count()]).toEqual([0, 0])
  expect(await tab.confirmDialog.isVisible()).toBe(false)
  expect(await tab.newKey.getAttribute('aria-disabled')).toBe('true')
  const about = () => tab.host.evaluate((element: Tab) => [element.state, element.activeCount])
  expect(await about()).toEqual(['loading', 0])
  list.release()
  await tab.row('key_there').waitFor()
  expect(await tab.rows.count()).toBe(1)
  const asked = there.seen.map(({ path, headers }) => `${path} ${headers['miftah-workspace']}`)
  expect(asked.sort()).toEqual(['/keys undefined', '/keys undefined', '/scopes undefined'])
  // So does a new client.
  await tab.host.evaluate((element: Tab) => {
    const never = () => new Promise<never>(() => {})
    element.client = new Proxy({} as never, { get: () => never })
  })
  await expect.poll(() => tab.rows.count()).toBe(0)
  expect(await about()).toEqual(['loading', 0])
})

test('two hundred mounts leave nothing behind', async () => {
  const { tab, context, page } = await open()
  const session = await context.newCDPSession(page)
  await session.send('HeapProfiler.enable')
  const mount = (times: number) =>
    tab.host.evaluate(async (element: Tab, times) => {
      for (let at = 0; at < times; at += 1) {
        const made = document.createElement('api-keys-tab')
        made.client = element.client
        element.after(made)
        await made.updateComplete
        made.openCreate()
        made.remove()
      }
    }, times)
  const counted = async () => {
    for (let times = 0; times < 2; times += 1) await session.send('HeapProfiler.collectGarbage')
    return session.send('Memory.getDOMCounters')
  }
  await mount(10)
  const before = await counted()
  await mount(200)
  const after = await counted()
  expect(after.nodes - before.nodes).toBeLessThan(500)
  expect(after.jsEventListeners - before.jsEventListeners).toBeLessThan(100)
})
