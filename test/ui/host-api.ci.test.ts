import { expect, test } from 'vitest'
import { tabTests } from '../support/settings-tab/browser.ts'

const { open } = tabTests()
type Tab = HTMLElementTagNameMap['api-keys-tab']

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
    'Works until the end of December 21, 2026.',
  )
})
