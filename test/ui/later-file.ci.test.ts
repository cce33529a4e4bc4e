import { afterEach, expect, test } from 'vitest'
import { many } from '../support/settings-tab/backend.ts'
import { tabTests } from '../support/settings-tab/browser.ts'
import { LATER, tabFiles } from '../support/settings-tab/bundle.ts'

const { open, site } = tabTests()
const path = `/${LATER}`
const { first, later } = await tabFiles()

afterEach(() => void site().files.set(path, later))

test('nothing moves while a long list and then the later file arrive', async () => {
  const { page } = await open({
    backend: many(50),
    before: () => {
      new PerformanceObserver((list) => {
        document.documentElement.dataset['moved'] = String(list.getEntries().length)
      }).observe({ type: 'layout-shift', buffered: true })
    },
  })
  // The form is in that file, which comes before anybody needs it.
  await page.locator('api-keys-form').waitFor({ state: 'attached' })
  await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn))))
  expect(await page.locator('html').getAttribute('data-moved')).toBeNull()
})

const otherBuild = 'export const html = () => {}; export class More {}'

test.each([
  ['[data-row=key_store]', null],
  ['#new-key', null],
  ['[part=revoke-button]', null],
  ['[data-row=key_store]', otherBuild],
])(
  'without the later file of this build, what needs it says so, with the focus (%s, %s)',
  async (button, file) => {
    if (file === null) site().files.delete(path)
    else site().files.set(path, file)
    const { tab, page, backend } = await open({ lang: 'en' })
    await page.locator(button).first().click()
    await expect.poll(() => tab.notice.innerText()).toContain(tab.strings['e.part'])
    await expect.poll(() => tab.focused()).toBe('notice')
    await expect.poll(() => tab.heard(tab.strings['e.part'])).toBe(true)
    expect(await tab.createDialog.count()).toBe(0)
    expect(backend.requests('POST')).toEqual([])
  },
)

test('New key says that it is busy until the later file is there', async () => {
  const { tab, page } = await open({
    lang: 'en',
    before: () => delete (window as { requestIdleCallback?: unknown }).requestIdleCallback,
  })
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route(`**${path}*`, (route) => held.then(() => route.continue()))
  await page.reload()
  await tab.ready()
  await tab.newKey.click()
  await expect.poll(() => tab.newKey.getAttribute('aria-busy')).toBe('true')
  release()
  await tab.createDialog.locator('[data-scope]').first().waitFor()
  expect(await tab.newKey.getAttribute('aria-busy')).toBe(null)
})

test('all that shows and copies a secret comes in the file with what makes one', () => {
  for (const word of ['part="secret"', 'beforeunload', 'execCommand']) {
    expect(later).toContain(word)
    expect(first.join()).not.toContain(word)
  }
})
