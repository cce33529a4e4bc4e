import { expect, test } from 'vitest'
import { tabTests } from '../support/settings-tab/browser.ts'

const { open } = tabTests()
const attributes = 'call-url="https://api.example.com/api/public/v1/contacts?q=it\'s`$x"'
const address = 'https://api.example.com/api/public/v1/contacts?q=it%27s%60%24x'

test('the first call is ready to paste, with the address of the host', async () => {
  const { tab, page } = await open({ lang: 'en', attributes })
  const secret = await tab.createKey()
  await page.locator('[data-act=show-call]').click()
  const mask = `${secret.slice(0, 12)}…`
  const code = page.locator('pre')
  expect(await code.textContent()).toBe(
    `curl '${address}' \\\n  -H 'Authorization: Bearer ${mask}'`,
  )
  await page.locator('[data-act=copy-code]').click()
  await expect.poll(() => page.locator('[data-act=copy-code]').innerText()).toContain('Copied')
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
    `curl '${address}' \\\n  -H 'Authorization: Bearer ${secret}'`,
  )
  // Who has copied the code has copied the key.
  expect(await tab.events('pending-secret-change')).toMatchObject([
    { pending: true },
    { pending: false },
  ])
})
