import { expect, test } from 'vitest'
import type { WireKey } from '../../adapters/client/index.ts'
import { ScriptedBackend } from '../support/settings-tab/backend.ts'
import { tabTests } from '../support/settings-tab/browser.ts'
import { keyOf, listOf, manyKeys } from '../support/settings-tab/keys.ts'
import type { TabPage } from '../support/settings-tab/tab-page.ts'

type Tab = HTMLElementTagNameMap['api-keys-tab']

const { open, site } = tabTests()

/** A second place to get keys from, with one key. */
function elsewhere() {
  const backend = new ScriptedBackend([keyOf({ id: 'key_there', name: 'There' })])
  backend.workspaceId = 'ws_2'
  return { backend, baseUrl: `${new URL(site().add({ html: '', backend })).pathname}api` }
}

const point = (tab: TabPage, baseUrl: string) =>
  tab.host.evaluate((element: Tab, url) => {
    element.baseUrl = url
  }, baseUrl)

test('a new base-url shows nothing of the former one while it loads', async () => {
  const { tab, page } = await open({ lang: 'en' })
  const there = elsewhere()
  const list = there.backend.hold('GET /keys')
  await tab.ask('revoke', 'key_store')
  await point(tab, there.baseUrl)
  await list.arrived
  await page.locator('[part=skeleton]').waitFor()
  expect([await tab.rows.count(), await page.locator('[part=allowance]').count()]).toEqual([0, 0])
  expect(await tab.confirmDialog.isVisible()).toBe(false)
  expect(await tab.newKey.getAttribute('aria-disabled')).toBe('true')
  expect(await tab.host.evaluate((element: Tab) => [element.state, element.activeCount])).toEqual([
    'loading',
    0,
  ])
  list.release()
  await tab.row('key_there').waitFor()
  expect(await tab.rows.count()).toBe(1)
  expect(there.backend.requests('GET /scopes')).toHaveLength(1)
  expect(there.backend.seen.map(({ headers }) => headers['miftah-workspace'])).toEqual([
    undefined,
    undefined,
  ])
})

test('a new base-url that fails is an error, not the list of the former one', async () => {
  const { tab, page } = await open({ lang: 'en' })
  const there = elsewhere()
  there.backend.always('GET /keys', { status: 503, body: null })
  await point(tab, there.baseUrl)
  await tab.words(tab.strings['err.title']).waitFor()
  expect([await tab.rows.count(), await page.locator('[data-note=stale]').count()]).toEqual([0, 0])
})

test('the secret of a key made in the former place is shown, and its list is left alone', async () => {
  const { tab, page, backend } = await open({ lang: 'en' })
  const there = elsewhere()
  const creation = backend.hold('POST /keys')
  await tab.openCreate()
  await tab.fill({ name: 'Made here' })
  await tab.submit.click()
  await creation.arrived
  await point(tab, there.baseUrl)
  await tab.row('key_there').waitFor()
  creation.release()
  await tab.banners.first().waitFor()
  expect(await tab.secret.textContent()).toBe(backend.secrets[0])
  expect(await page.locator('[data-note=former]').innerText()).toBe(tab.strings['banner.former'])
  expect(await tab.rows.count()).toBe(1)
  expect(there.backend.requests('POST')).toEqual([])
})

test('a new client starts anew like a new address', async () => {
  const { tab } = await open({ lang: 'en' })
  await tab.host.evaluate((element: Tab) => {
    const never = () => new Promise<never>(() => {})
    element.client = new Proxy({} as never, { get: () => never })
  })
  await expect.poll(() => tab.rows.count()).toBe(0)
  expect(await tab.host.evaluate((element: Tab) => element.state)).toBe('loading')
})

test('a row that is no key is drawn as unreadable, and all the rest works', async () => {
  const odd = (fields: object) => ({ ...keyOf({ id: 'key_x' }), ...fields }) as WireKey
  const { revokedAt: _, ...open_ended } = keyOf({ id: 'key_open' })
  const backend = new ScriptedBackend([
    keyOf({ id: 'key_good', name: 'Good' }),
    odd({ id: 'key_nameless', name: null }),
    open_ended as WireKey,
    odd({ id: 'key_counted', uses: {} }),
    odd({ id: 'key_asleep', status: 'asleep' }),
    null as unknown as WireKey,
    ...manyKeys(4),
  ])
  backend.activeKeyLimit = null
  backend.next('GET /keys', {
    status: 200,
    body: listOf(backend.keys, { activeKeys: 5 }),
  })
  const { tab, page } = await open({ lang: 'en', backend })
  expect(await tab.rows.count()).toBe(10)
  for (const id of ['key_nameless', 'key_open', 'key_counted', 'key_asleep']) {
    expect(await tab.row(id).innerText()).toContain(tab.strings['row.unreadable'])
    expect(await tab.row(id).innerText()).toContain(id)
    expect(await tab.row(id).getByRole('button').count()).toBe(0)
  }
  expect(await tab.words(tab.strings['row.unreadable']).count()).toBe(5)
  await page.locator('input[type=search]').fill('Good')
  await expect.poll(() => tab.rows.count()).toBe(1)
  await page.locator('input[type=search]').fill('')
  backend.keys = [keyOf({ id: 'key_good', name: 'Good' })]
  await tab.ask('revoke', 'key_good')
  await tab.confirm()
  await expect.poll(() => tab.row('key_good').locator('[part=status]').innerText()).toBe('Revoked')
})

test.each(['', 'again'])('a list that never ends (cursor %j) is asked for no more', async (end) => {
  const backend = new ScriptedBackend(manyKeys(50))
  backend.always('GET /keys', () => ({
    status: 200,
    body: listOf(backend.keys, { nextCursor: end }),
  }))
  const { tab, page } = await open({ lang: 'en', backend })
  await page.locator('input[type=search]').fill('Server 49')
  await expect.poll(() => backend.requests('GET /keys').length).toBe(end === '' ? 1 : 2)
  await page.waitForFunction(
    () => !document.querySelector('api-keys-tab')?.shadowRoot?.querySelector('.progress'),
  )
  await tab.ready()
  expect(backend.requests('GET /keys')).toHaveLength(end === '' ? 1 : 2)
})
