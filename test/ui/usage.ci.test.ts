import { expect, test } from 'vitest'
import { daysOf, problem, ScriptedBackend } from '../support/settings-tab/backend.ts'
import { tabTests } from '../support/settings-tab/browser.ts'

const { open } = tabTests()
const zone = 'time-zone="Asia/Riyadh"'

const counted = daysOf(
  (at) => (at % 2 ? 40 * at : 0),
  (at) => (at === 29 ? 3 : 0),
)

test('the details show the requests of 30 days as bars and in one sentence', async () => {
  const backend = Object.assign(new ScriptedBackend(), { usage: counted })
  const { tab, page } = await open({ lang: 'en', backend, attributes: zone })
  await tab.openDetails()
  const section = page.locator('.usage')
  await expect.poll(() => section.innerText()).toContain('9,000 accepted, 3 refused; last today')
  const heights = await page
    .locator('.bars .accepted')
    .evaluateAll((bars) => bars.map((bar) => Number(bar.getAttribute('height'))))
  expect(heights).toHaveLength(30)
  expect(heights[1]).toBeLessThan(heights[3] ?? 0)
  expect(heights[0]).toBe(0)
  const [asked] = backend.requests('GET /keys/key_store/usage')
  const query = new URLSearchParams(asked?.search)
  expect(query.get('from')).toMatch(/T21:00:00.000Z$/)
  const span = Date.parse(query.get('to') ?? '') - Date.parse(query.get('from') ?? '')
  expect(Math.floor(span / 86_400_000)).toBe(29)
})

test('in Arabic the first day is at the right, and the sums have their plural forms', async () => {
  const usage = daysOf((at) => (at === 0 ? 11 : 0))
  const { tab, page } = await open({ backend: Object.assign(new ScriptedBackend(), { usage }) })
  await tab.openDetails()
  await expect.poll(() => page.locator('.usage').innerText()).toContain('11 طلبًا مقبولًا')
  const [first, last] = await page
    .locator('.bars .base')
    .evaluateAll((bars) => [bars.at(0), bars.at(-1)].map((bar) => bar?.getBoundingClientRect().x))
  expect(first).toBeGreaterThan(last ?? Number.POSITIVE_INFINITY)
})

test('a key without requests has a sentence, a host without a history has nothing', async () => {
  const backend = new ScriptedBackend()
  backend.usage = daysOf(() => 0)
  const { tab, page } = await open({ lang: 'en', backend })
  await tab.openDetails()
  await expect.poll(() => page.locator('.usage').innerText()).toContain('No requests')
  await page.keyboard.press('Escape')
  backend.usage = null
  await tab.openDetails()
  await expect.poll(() => backend.requests('GET /keys/key_store/usage').length).toBe(2)
  expect(await page.locator('.usage').count()).toBe(0)
})

test('requests that cannot be loaded are said to be so, and can be asked for again', async () => {
  const backend = Object.assign(new ScriptedBackend(), { usage: counted })
  backend.next('GET /keys/key_store/usage', problem(503, 'storage_unavailable'))
  const { tab, page } = await open({ lang: 'en', backend })
  await tab.openDetails()
  await expect.poll(() => page.locator('.usage').innerText()).toContain('could not be loaded')
  await page.locator('.usage button').click()
  await expect.poll(() => page.locator('.usage').innerText()).toContain('9,000 accepted')
})
