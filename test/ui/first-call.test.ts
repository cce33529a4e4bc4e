import { expect, test } from 'vitest'
import { tabTests } from '../support/settings-tab/browser.ts'

const { open } = tabTests()
const attributes = 'call-url="https://api.example.com/api/public/v1/contacts?q=it\'s`$x"'
const address = 'https://api.example.com/api/public/v1/contacts?q=it%27s%60%24x'

test('the first call is ready to paste in each language, with the address of the host', async () => {
  const { tab, page } = await open({ lang: 'en', attributes })
  const secret = await tab.createKey()
  const mask = `${secret.slice(0, 12)}…`
  const code = page.locator('pre')
  const choose = (name: string) => page.getByRole('button', { name, exact: true }).click()
  expect(await code.textContent()).toBe(
    `curl '${address}' \\\n  -H 'Authorization: Bearer ${mask}'`,
  )
  await choose('Node')
  expect(await code.textContent()).toContain(`await fetch('${address}', {`)
  expect(await code.textContent()).toContain(`Authorization: 'Bearer ${mask}' `)
  await choose('Python')
  expect(await code.textContent()).toContain(`Request('${address}', headers={`)
  await choose('.env')
  expect(await code.textContent()).toBe(`API_KEY=${mask}`)
  await page.locator('[data-act=copy-code]').click()
  await expect.poll(() => page.locator('[data-act=copy-code]').innerText()).toContain('Copied')
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(`API_KEY=${secret}`)
  // Who has copied the code has copied the key.
  expect(await tab.events('pending-secret-change')).toMatchObject([
    { pending: true },
    { pending: false },
  ])
})
