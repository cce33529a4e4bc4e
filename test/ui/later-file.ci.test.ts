import { afterEach, expect, test } from 'vitest'
import { laterEn } from '../../adapters/ui/strings/later-en.ts'
import { many } from '../support/settings-tab/backend.ts'
import { tabTests } from '../support/settings-tab/browser.ts'
import { firstText, LATER, laterText } from '../support/settings-tab/bundle.ts'

const { open, site } = tabTests()
const path = `/${LATER}`

afterEach(async () => site().script(path, await laterText()))

test('the later file comes once the page has time, before anybody needs it', async () => {
  const { page } = await open()
  // The menu is in it.
  await page.locator('api-keys-form').waitFor({ state: 'attached' })
})

test('nothing moves while a long list and then the later file arrive', async () => {
  const { page } = await open({
    backend: many(50),
    before: () => {
      new PerformanceObserver((list) => {
        document.documentElement.dataset['moved'] = String(list.getEntries().length)
      }).observe({ type: 'layout-shift', buffered: true })
    },
  })
  await page.locator('#filter').waitFor()
  await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn))))
  expect(await page.locator('html').getAttribute('data-moved')).toBeNull()
})

test.each(['[data-row=key_store]', '#new-key', '[part=revoke-button]'])(
  'where it does not come, what needs it says so, with the focus (%s)',
  async (button) => {
    site().withhold(path)
    const { tab, page, backend } = await open({ lang: 'en' })
    await page.locator(button).first().click()
    await expect.poll(() => tab.notice.innerText()).toContain(tab.strings['e.part'])
    await expect.poll(() => tab.focused()).toBe('notice')
    await expect.poll(() => tab.heard(tab.strings['e.part'])).toBe(true)
    expect(await tab.createDialog.count()).toBe(0)
    expect(backend.requests('POST')).toEqual([])
  },
)

test('all that shows and copies a secret comes in the file with what makes one', async () => {
  const [first, code] = [await firstText(), await laterText()]
  for (const word of ['part="secret"', 'beforeunload', 'execCommand', laterEn['dismiss.ask']]) {
    expect(code).toContain(word)
    expect(first).not.toContain(word)
  }
})

test('a file of another build is refused', async () => {
  site().script(path, 'export const html = () => {}; export class More {}')
  const { tab, page } = await open({ lang: 'en' })
  await page.locator('[data-row=key_store]').click()
  await expect.poll(() => tab.notice.innerText()).toContain(tab.strings['e.part'])
})
