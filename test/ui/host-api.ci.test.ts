import { expect, test } from 'vitest'
import { daysOf, many, ScriptedBackend } from '../support/settings-tab/backend.ts'
import { tabTests } from '../support/settings-tab/browser.ts'
import { ago, fewKeys, keyOf, manyKeys } from '../support/settings-tab/keys.ts'

const { open } = tabTests()
type Tab = HTMLElementTagNameMap['api-keys-tab']

test('a page chooses the columns, and hides live and test', async () => {
  const attributes = 'columns="key uses status" hide-environment'
  const { tab, page } = await open({ lang: 'en', attributes })
  expect(await page.getByRole('columnheader').count()).toBe(5)
  await tab.newKey.click()
  await page.locator('#create-name').fill('Live alone')
  expect(await page.locator('#env-live').count()).toBe(0)
  await page.locator('[data-scope="contacts.read"]').check()
  await tab.submit.click()
  await tab.banners.first().waitFor()
})

test('a page opens a filled create dialog, and can prevent the creation', async () => {
  const { tab, page, backend } = await open({ lang: 'en', attributes: 'default-expiry="30"' })
  await tab.host.evaluate((element: Tab) => {
    element.openCreate({ name: 'CI', environment: 'test', scopes: ['contacts.read'] })
    element.addEventListener('before-create', (event) => event.preventDefault())
  })
  await tab.createDialog.locator('[data-scope]').first().waitFor()
  expect(await page.locator('#create-name').inputValue()).toBe('CI')
  expect(await page.locator('#env-test').isChecked()).toBe(true)
  await tab.submit.click()
  await expect.poll(() => tab.events('before-create')).toMatchObject([{ name: 'CI' }])
  expect(backend.requests('POST')).toEqual([])
  expect(await tab.createDialog.isVisible()).toBe(true)
})

test('the safer expiry of the page is chosen, and its end is said in words', async () => {
  const { tab, page } = await open({ lang: 'en', attributes: 'default-expiry="30"' })
  await tab.openCreate()
  expect(await page.locator('#create-expiry').inputValue()).toBe('30')
  expect(await page.locator('#create-expiry-hint').innerText()).toContain(
    'Works until the end of Monday, December 21, 2026.',
  )
  await page.locator('#create-name').fill('crm SYNC (staging)')
  expect(await page.locator('[data-note=taken]').innerText()).toBe(
    'Another active key has this name.',
  )
})

test('details have an address of their own, unless the page wants none', async () => {
  const { tab, page } = await open({ lang: 'en' })
  expect(await tab.host.evaluate((element: Tab) => element.openDetails('key_test'))).toBe(true)
  await page.locator('#details[open]').waitFor()
  expect(new URL(page.url()).hash).toBe('#key_test')
  expect(await tab.host.evaluate((element: Tab) => element.openKey)).toBe('key_test')
  await page.reload()
  await page.locator('#details[open]').waitFor()
  await page.keyboard.press('Escape')
  await expect.poll(() => new URL(page.url()).hash).toBe('')
  expect(await tab.host.evaluate((element: Tab) => element.openDetails('key_none'))).toBe(false)
})

test('a page filters, and the list says how many there are', async () => {
  const backend = many(120)
  backend.keys = [...backend.keys, keyOf({ id: 'key_t', name: 'T', environment: 'test' })]
  const { tab, page } = await open({ lang: 'en', backend })
  await expect.poll(() => page.locator('[data-note=total]').innerText()).toBe('50 of 121')
  await tab.host.evaluate((element: Tab) => element.setFilter({ search: 'Server 11' }))
  await expect.poll(() => tab.rows.count()).toBe(11)
})

test('a page brings its own icons', async () => {
  const content = '<b slot="icon-new">★</b><b slot="icon-empty">☆</b>'
  const { tab, page } = await open({ lang: 'en', backend: new ScriptedBackend([]), content })
  expect(await tab.newKey.locator('svg').isVisible()).toBe(false)
  for (const icon of ['★', '☆']) expect(await page.getByText(icon).isVisible()).toBe(true)
})

test('the heads of the columns sort', async () => {
  const keys = [
    ...manyKeys(8),
    keyOf({ id: 'key_most', name: 'A', uses: 9_000_000, createdAt: ago.days(900) }),
  ]
  const { tab, page } = await open({ lang: 'en', backend: new ScriptedBackend(keys) })
  await page.locator('[data-sort=uses]').click()
  const first = () => tab.rows.first().locator('[data-row]').getAttribute('data-row')
  await expect.poll(first).toBe('key_most')
  expect(await page.locator('.h-uses').getAttribute('aria-sort')).toBe('descending')
  await page.locator('[data-sort=name]').click()
  await page.locator('[data-sort=name]').click()
  await expect.poll(first).toBe('key_7')
})

test('a key with many uses is revoked after its name is typed', async () => {
  const backend = Object.assign(new ScriptedBackend(fewKeys), { usage: daysOf(() => 5_000) })
  const { tab, page } = await open({ lang: 'en', backend })
  await tab.ask('revoke', 'key_store')
  const name = page.locator('#typed-name')
  await name.waitFor()
  const confirm = tab.confirmDialog.locator('[data-act=confirm]')
  expect(await confirm.getAttribute('aria-disabled')).toBe('true')
  await confirm.evaluate((node: HTMLElement) => node.click())
  expect(backend.requests('POST')).toEqual([])
  await name.fill('خادم المتجر')
  await tab.confirm()
  await expect.poll(() => backend.requests('POST').length).toBe(1)
})

test('other browser tabs of the page learn of a change, and of nothing else', async () => {
  const { tab, page, context, backend, url } = await open({ lang: 'en', isUnused: true })
  const other = await context.newPage()
  await other.goto(url)
  await other.locator('[data-row=key_store]').waitFor()
  await other.evaluate(() => {
    const told: unknown[] = []
    Object.assign(window, { told })
    new BroadcastChannel('miftah').onmessage = ({ data }) => told.push(data)
  })
  const asked = backend.requests('GET /keys').length
  await tab.createKey({ name: 'Seen elsewhere' })
  await other.locator('[data-row=key_new1]').waitFor()
  expect(backend.requests('GET /keys').length).toBeGreaterThan(asked)
  const told = await other.evaluate(() => (window as unknown as { told: unknown[] }).told)
  expect(JSON.stringify(told)).not.toContain(backend.secrets[0])
  await other.close()
  await page.bringToFront()
})

test('the secret can be saved as a .env file', async () => {
  const { tab, page, backend } = await open({ lang: 'en' })
  await tab.createKey()
  const saved = page.waitForEvent('download')
  await page.locator('[data-act=download]').click()
  const stream = await (await saved).createReadStream()
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk as Buffer)
  expect(Buffer.concat(chunks).toString()).toBe(`API_KEY=${backend.secrets[0]}\n`)
})
