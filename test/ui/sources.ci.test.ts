import { expect, test } from 'vitest'
import { ScriptedBackend } from '../support/settings-tab/backend.ts'
import { tabTests } from '../support/settings-tab/browser.ts'
import { keyOf } from '../support/settings-tab/keys.ts'
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
    undefined,
  ])
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
