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
    ...manyKeys(9),
  ])
  backend.activeKeyLimit = null
  const body = listOf(backend.keys, { activeKeys: 5 })
  backend.next('GET /keys', { status: 200, body })
  const { tab } = await open({ lang: 'en', backend })
  expect(await tab.rows.count()).toBe(15)
  for (const id of ['key_nameless', 'key_open', 'key_counted', 'key_asleep']) {
    expect(await tab.row(id).innerText()).toContain(tab.strings['row.unreadable'])
    expect(await tab.row(id).innerText()).toContain(id)
    expect(await tab.row(id).getByRole('button').count()).toBe(0)
  }
  expect(await tab.words(tab.strings['row.unreadable']).count()).toBe(5)
  backend.keys = [keyOf({ id: 'key_good', name: 'Good' })]
  await tab.ask('revoke', 'key_good')
  await tab.confirm()
  await expect.poll(() => tab.status('key_good').innerText()).toBe('Revoked')
})
