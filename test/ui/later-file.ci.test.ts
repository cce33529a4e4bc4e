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
  await page.locator('#menu').waitFor({ state: 'attached' })
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

test('without it a key is revoked', async () => {
  site().withhold(path)
  const { tab, page, backend } = await open({ lang: 'en' })
  await page.locator('[data-menu=key_store]').click()
  await expect.poll(() => tab.notice.innerText()).toContain(tab.strings['e.part'])
  await tab.ask('revoke', 'key_store')
  await tab.confirm()
  await tab.unfold()
  const status = tab.status('key_store')
  await expect.poll(() => status.innerText()).toBe('Revoked')
  expect(backend.requests('POST')).toHaveLength(1)
})

test('without it New key says so, and Try again makes a key', async () => {
  site().withhold(path)
  const { tab, backend } = await open({ lang: 'en' })
  await tab.newKey.click()
  await expect.poll(() => tab.notice.innerText()).toContain(tab.strings['e.part'])
  await expect.poll(() => tab.focused()).toBe('notice')
  expect(await tab.createDialog.count()).toBe(0)
  site().script(path, await laterText())
  await tab.notice.locator('[data-act=again]').click()
  await tab.createDialog.waitFor()
  expect(await tab.focused()).toBe('create-name')
  expect(await tab.notice.count()).toBe(0)
  await tab.fill({ name: 'Late' })
  await tab.submit.click()
  await expect.poll(() => tab.secret.textContent()).toMatch(/^svc_/)
  expect(backend.requests('POST')).toHaveLength(1)
})

test('all that shows and copies a secret comes in the file with what makes one', async () => {
  const [first, code] = [await firstText(), await laterText()]
  for (const word of ['part="secret"', 'beforeunload', 'execCommand', laterEn['dismiss.ask']]) {
    expect(code).toContain(word)
    expect(first).not.toContain(word)
  }
})

test('where it does not come, the menu says so with the focus, and Try again opens it', async () => {
  site().withhold(path)
  const { tab, page } = await open({ lang: 'en' })
  await page.locator('[data-menu=key_store]').click()
  await expect.poll(() => tab.notice.innerText()).toContain(tab.strings['e.part'])
  await expect.poll(() => tab.focused()).toBe('notice')
  await expect.poll(() => tab.heard(tab.strings['e.part'])).toBe(true)
  await tab.notice.locator('[data-act=again]').click()
  await expect.poll(() => tab.notice.innerText()).toContain(tab.strings['e.part'])
  site().script(path, await laterText())
  await tab.notice.locator('[data-act=again]').click()
  await page.locator('[data-item=details]').click()
  await page.locator('dialog#details[open]').waitFor()
  expect(await tab.notice.count()).toBe(0)
})

test('rotate asks nothing before it has its options', async () => {
  site().withhold(path)
  const { tab, backend } = await open({ lang: 'en' })
  await tab.row('key_store').locator('[part=rotate-button]').click()
  await expect.poll(() => tab.notice.innerText()).toContain(tab.strings['e.part'])
  site().script(path, await laterText())
  await tab.notice.locator('[data-act=again]').click()
  await tab.confirmDialog.locator('[name=overlap]').first().waitFor()
  expect(backend.requests('POST')).toEqual([])
})

test('a file of another build is refused', async () => {
  site().script(path, 'export const html = () => {}; export class More {}')
  const { tab, page } = await open({ lang: 'en' })
  await page.locator('[data-menu=key_store]').click()
  await expect.poll(() => tab.notice.innerText()).toContain(tab.strings['e.part'])
})
