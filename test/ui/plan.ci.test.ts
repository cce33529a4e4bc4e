import { expect, test } from 'vitest'
import { ScriptedBackend } from '../support/settings-tab/backend.ts'
import { tabTests } from '../support/settings-tab/browser.ts'
import { fewKeys, manyKeys } from '../support/settings-tab/keys.ts'
import { drawnOrder } from '../support/settings-tab/measure.ts'

const { open } = tabTests()

test('active keys stand against the allowance in readable order, and alone where there is none', async () => {
  const { tab, backend } = await open()
  expect(await tab.allowance.textContent()).toBe('2 من 5 مفاتيح نشطة')
  // Read from the right: two, of, five.
  expect((await drawnOrder(tab.allowance)).replace(/\s/g, '')).toMatch(/5.+2$/)
  backend.activeKeyLimit = null
  await tab.refresh()
  await expect.poll(() => tab.allowance.count()).toBe(0)
  expect(await tab.newKey.isEnabled()).toBe(true)
})

test('at the limit New key says why not, and works again after a revocation', async () => {
  const backend = new ScriptedBackend(manyKeys(4), { activeKeyLimit: 3 })
  const { tab, page } = await open({ lang: 'en', backend })
  // More keys than the plan allows keep working.
  expect(await tab.allowance.innerText()).toBe('4 of 3 active keys')
  expect(await tab.row('key_1').locator('.actions').getByRole('button').count()).toBe(3)
  await tab.revoke('key_1')
  await expect.poll(() => tab.allowance.innerText()).toBe('3 of 3 active keys')
  expect(await tab.newKey.isDisabled()).toBe(true)
  const reason = await tab.newKey.getAttribute('aria-describedby')
  expect(await page.locator(`#${reason}`).textContent()).toContain('Limit reached. Revoke a key')
  await tab.newKey.click({ force: true })
  await tab.newKey.focus()
  await page.keyboard.press('Enter')
  await page.keyboard.press('Space')
  expect(await page.locator('dialog[open]').count()).toBe(0)
  await tab.revoke('key_2')
  await expect.poll(() => tab.newKey.isEnabled()).toBe(true)
  expect(await tab.allowance.innerText()).toBe('2 of 3 active keys')
})

test('without the capability a lock panel leads to the upgrade, and nothing can be made', async () => {
  const backend = new ScriptedBackend(fewKeys, { publicApi: false })
  const { tab, page } = await open({ backend })
  expect(await tab.newKey.isDisabled()).toBe(true)
  expect(await tab.row('key_store').locator('[part=rotate-button]').count()).toBe(0)
  expect(await tab.row('key_store').locator('[part=revoke-button]').count()).toBe(1)
  // Its own status, dimmed.
  expect(await tab.status('key_store').innerText()).toBe(tab.strings['status.active'])
  expect(await tab.status('key_store').getAttribute('class')).toContain('dim')
  await tab.host.evaluate((element: HTMLElementTagNameMap['api-keys-tab']) => element.openCreate())
  expect(await page.locator('dialog[open]').count()).toBe(0)
  await tab.prevent('upgrade')
  const upgrade = page.locator('[part=locked]').getByRole('link', { name: tab.strings['lock.cta'] })
  expect(await upgrade.getAttribute('href')).toBe('/upgrade')
  const address = page.url()
  await upgrade.click()
  expect(page.url()).toBe(address)
  expect(await tab.events('upgrade')).toMatchObject([{ reason: 'capability' }])
  expect(backend.requests('POST')).toEqual([])
})

test('a locked plan without keys says so once, on a phone in lines that can be read', async () => {
  const backend = new ScriptedBackend([], { publicApi: false })
  const { tab, page } = await open({ backend, width: 360 })
  const words = await page.locator('.lock .grow').boundingBox()
  expect(words?.width).toBeGreaterThan(200)
  expect(await page.locator('[part=empty]').count()).toBe(0)
  expect(await tab.words(tab.strings['lock.existing']).count()).toBe(0)
  expect(await page.locator('[part=locked]').count()).toBe(1)
})
