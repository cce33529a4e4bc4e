import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { many, problem, ScriptedBackend } from '../support/settings-tab/backend.ts'
import { tabTests } from '../support/settings-tab/browser.ts'
import { styleOf } from '../support/settings-tab/measure.ts'

const { open } = tabTests()
type Tab = HTMLElementTagNameMap['api-keys-tab']

test('a search is counted once, when all pages are there and the typing has paused', async () => {
  const { tab, page } = await open({ lang: 'en', backend: many(120) })
  await page.getByRole('searchbox').pressSequentially('Server 11')
  await expect.poll(() => tab.heard('11 keys')).toBe(true)
  const counts = (await tab.record()).announced.filter((text) => text.endsWith(' keys'))
  expect(counts).toHaveLength(1)
})

test('a page that fails while searching shows a failure and a way to try again', async () => {
  const backend = many(120)
  const { tab, page } = await open({ lang: 'en', backend })
  backend.always('GET /keys', { status: 500, body: null })
  await page.getByRole('searchbox').fill('Server 119')
  const panel = page.locator('[data-note=stale]')
  await expect.poll(() => panel.innerText()).toContain(tab.strings['err.title'])
  expect(await panel.innerText()).not.toContain('No keys match')
  backend.heal()
  await panel.getByRole('button').click()
  await expect.poll(() => tab.rows.count()).toBe(1)
  await expect.poll(() => tab.focused()).toBe('search')
})

test('the focus has a place after Try again, Show more, Clear search and a revoke that the choice hides', async () => {
  const backend = many(60)
  backend.next('GET /keys', { status: 500, body: null })
  const { tab, page } = await open({ lang: 'en', backend })
  await page.locator('#retry').click()
  await tab.rows.first().waitFor()
  await expect.poll(() => tab.focused()).toBe('title')
  await page.locator('[data-act=more]').click()
  await expect.poll(() => tab.focused()).toBe('key_50')
  expect(await page.locator('[data-act=more]').count()).toBe(0)
  await page.getByRole('searchbox').fill('zzz')
  await page.locator('[data-act=clear-search]').click()
  await expect.poll(() => tab.focused()).toBe('search')
  await page.locator('#filter').selectOption('active')
  await tab.ask('revoke', 'key_3')
  await tab.confirm()
  await expect.poll(() => tab.row('key_3').count()).toBe(0)
  await expect.poll(() => tab.focused()).toBe('filter')
})

test('Show more says at the button that it reads, that it failed, and tries again', async () => {
  const backend = many(60)
  const { tab, page } = await open({ lang: 'en', backend })
  backend.next('GET /keys', { status: 503, body: null })
  const more = page.locator('[data-act=more]')
  await more.click()
  await expect.poll(() => more.innerText()).toBe('Try again')
  expect(await page.locator('[data-note=short]').innerText()).toBe('More keys could not be loaded.')
  expect(await page.locator('[data-note=stale]').count()).toBe(0)
  const held = backend.hold('GET /keys')
  await more.click()
  await held.arrived
  expect(await more.getAttribute('aria-busy')).toBe('true')
  held.release()
  await expect.poll(() => tab.focused()).toBe('key_50')
})

test('Try again that fails again keeps the focus on Try again', async () => {
  const backend = many(3)
  backend.always('GET /keys', { status: 500, body: null })
  const { tab, page } = await open({ backend })
  await page.locator('#retry').click()
  await expect.poll(() => backend.requests('GET /keys').length).toBe(4)
  await expect.poll(() => tab.focused()).toBe('retry')
})

test('who comes back to the page with the focus on Try again keeps a place for it', async () => {
  const backend = many(3)
  backend.next('GET /keys', { status: 500, body: null })
  const { tab, page } = await open({ backend })
  await page.locator('#retry').focus()
  await page.evaluate(() => void dispatchEvent(new Event('focus')))
  await tab.rows.first().waitFor()
  await expect.poll(() => tab.focused()).toBe('title')
})

test('a locked plan without keys says so once', async () => {
  const backend = Object.assign(new ScriptedBackend([]), { publicApi: false })
  const { tab, page } = await open({ backend })
  expect(await page.locator('[part=empty]').count()).toBe(0)
  expect(await tab.words(tab.strings['lock.existing']).count()).toBe(0)
  expect(await page.locator('[part=locked]').count()).toBe(1)
})

test('a banner comes into view with its title, not only its button', async () => {
  const { tab, page } = await open({ width: 360, height: 640 })
  await tab.createKey()
  await expect.poll(() => tab.focused()).toMatch(/^copy-/)
  const top = await tab.banners.first().evaluate((node) => node.getBoundingClientRect().top)
  expect(top).toBeGreaterThanOrEqual(-1)
  expect(await page.locator('.banner-title').isVisible()).toBe(true)
})

test('a late 401 takes no focus from a field of the page', async () => {
  const { tab, page, backend } = await open({
    main: '<input id="host-field"><api-keys-tab base-url="api"></api-keys-tab>',
  })
  const list = backend.hold('GET /keys')
  await tab.host.evaluate((element: Tab) => void element.refresh())
  await list.arrived
  backend.always('GET /keys', problem(401, 'unauthenticated'))
  await page.locator('#host-field').focus()
  await tab.host.evaluate((element: Tab) => void element.refresh())
  await page.locator('#session-panel').waitFor()
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('host-field')
  list.release()
})

test('the list is loaded again when the user comes back after a while', async () => {
  const { page, backend } = await open({ fakeTimers: true })
  const asked = () => backend.requests('GET /keys').length
  const comeBack = () => page.evaluate(() => void dispatchEvent(new Event('focus')))
  await comeBack()
  expect(asked()).toBe(2)
  await page.clock.runFor(31_000)
  await comeBack()
  await expect.poll(asked).toBe(4)
})

test('a larger font of the browser makes all text larger, and nothing is cut off', async () => {
  const { tab, page } = await open({ width: 550 })
  const size = (selector: string) => styleOf(page.locator(selector).first(), 'font-size')
  const before = await Promise.all(['#title', '.name-button', 'td', '.type', '#new-key'].map(size))
  await page.evaluate(() => {
    document.documentElement.style.fontSize = '32px'
  })
  // As many of these letters fit, so the layout is the same.
  await page.setViewportSize({ width: 1100, height: 900 })
  const after = await Promise.all(['#title', '.name-button', 'td', '.type', '#new-key'].map(size))
  expect(after.map(Number.parseFloat)).toEqual(before.map((one) => 2 * Number.parseFloat(one)))
  const wide = () =>
    page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth)
  expect(await wide()).toBe(false)
  await tab.openCreate()
  expect(await wide()).toBe(false)
})

/** How often dates were written: each row that is drawn writes some. */
function countDates(page: Page): Promise<void> {
  return page.evaluate(() => {
    const counted = window as unknown as { dates: number }
    counted.dates = 0
    const { format } = Intl.RelativeTimeFormat.prototype
    Intl.RelativeTimeFormat.prototype.format = function (...asked: Parameters<typeof format>) {
      counted.dates += 1
      return format.apply(this, asked)
    }
  })
}

test('a keystroke in a dialog draws no row', async () => {
  const { tab, page } = await open({ backend: many(200) })
  await tab.openCreate()
  await page.locator('#create-expiry').selectOption('date')
  await countDates(page)
  await page.locator('#create-name').pressSequentially('abc')
  // The choices of the expiry alone.
  const dates = await page.evaluate(() => (window as unknown as { dates: number }).dates)
  expect(dates).toBeLessThanOrEqual(3 * 4)
})
