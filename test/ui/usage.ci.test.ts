import { expect, test } from 'vitest'
import { daysOf, problem, ScriptedBackend } from '../support/settings-tab/backend.ts'
import { tabTests } from '../support/settings-tab/browser.ts'
import { openDetails } from '../support/settings-tab/history.ts'
import { ago, keyOf } from '../support/settings-tab/keys.ts'

const { open } = tabTests()
const zone = 'time-zone="Asia/Riyadh"'

const counted = daysOf(
  (at) => (at % 2 ? 40 * at : 0),
  (at) => (at === 29 ? 3 : 0),
)

test('the details show the requests of 30 days as bars, as sums, and in words', async () => {
  const backend = Object.assign(new ScriptedBackend(), { usage: counted })
  const { tab, page } = await open({ lang: 'en', backend, attributes: zone })
  await openDetails(tab)
  const section = page.locator('.usage')
  await expect.poll(() => section.innerText()).toContain('9,000 accepted')
  expect(await section.innerText()).toContain('3 refused')
  const heights = await page
    .locator('.bars .accepted')
    .evaluateAll((bars) => bars.map((bar) => Number(bar.getAttribute('height'))))
  expect(heights).toHaveLength(30)
  expect(heights[1]).toBeLessThan(heights[3] ?? 0)
  expect(heights[0]).toBe(0)
  // Its scale, its first and last day, and the values of the day that is pointed at, by keys or by a finger.
  const chart = page.locator('.chart')
  expect(await chart.innerText()).toMatch(/^1,163\n.*October.*November/s)
  const day = page.locator('[data-note=day]')
  expect(await day.innerText()).toMatch(/2026: 1,160 accepted, 3 refused$/)
  await page.locator('.bars').press('ArrowLeft')
  expect(await day.innerText()).toMatch(/2026: 0 accepted$/)
  const spoken = await page.locator('.bars').getAttribute('aria-valuetext')
  expect(spoken?.replace(/[\u2066-\u2069]/g, '')).toMatch(/2026: 0 accepted, 0 refused$/)
  const box = await page.locator('.bars').boundingBox()
  await page.mouse.move((box?.x ?? 0) + ((box?.width ?? 0) * 3.5) / 30, (box?.y ?? 0) + 5)
  await expect.poll(() => day.innerText()).toMatch(/120 accepted$/)
  const summary = section.locator('summary')
  const chevron = () => summary.evaluate((node) => getComputedStyle(node, '::after').transform)
  const closed = await chevron()
  await summary.click()
  expect(await chevron()).not.toBe(closed)
  const lines = await section.locator('li').allInnerTexts()
  expect(lines).toHaveLength(15)
  expect(lines.at(-1)).toMatch(/2026: 1,160 accepted, 3 refused$/)
  const [asked] = backend.requests('GET /keys/key_store/usage')
  const query = new URLSearchParams(asked?.search)
  expect([query.get('by'), query.get('timeZone')]).toEqual(['day', 'Asia/Riyadh'])
  const span = Date.parse(query.get('to') ?? '') - Date.parse(query.get('from') ?? '')
  expect(Math.floor(span / 86_400_000)).toBe(29)
})

test('in Arabic the first day is at the right, and the sums have their plural forms', async () => {
  const usage = daysOf((at) => (at === 0 ? 11 : 0))
  const { tab, page } = await open({ backend: Object.assign(new ScriptedBackend(), { usage }) })
  await openDetails(tab)
  await expect.poll(() => page.locator('.usage').innerText()).toContain('11 طلبًا مقبولًا')
  const [first, last] = await page
    .locator('.bars .base')
    .evaluateAll((bars) => [bars.at(0), bars.at(-1)].map((bar) => bar?.getBoundingClientRect().x))
  expect(first).toBeGreaterThan(last ?? Number.POSITIVE_INFINITY)
})

test('the digits of choice are those of every sentence', async () => {
  const keys = [keyOf({ id: 'key_store', lastUsedAt: ago.days(120) })]
  const backend = Object.assign(new ScriptedBackend(keys), { usage: daysOf(() => 0) })
  const { tab, page } = await open({ backend, attributes: 'numerals="arab"' })
  expect(await tab.row('key_store').innerText()).toContain('لم يُستخدم منذ أكثر من ٩٠ يومًا')
  await openDetails(tab)
  const usage = page.locator('.usage')
  await expect.poll(() => usage.innerText()).toContain('لا توجد طلبات في آخر ٣٠ يومًا.')
  expect(await usage.innerText()).toContain('الطلبات في آخر ٣٠ يومًا')
})

test('a key without requests has a sentence, a host without a history has nothing', async () => {
  const backend = new ScriptedBackend()
  backend.usage = daysOf(() => 0)
  const { tab, page } = await open({ lang: 'en', backend })
  await openDetails(tab)
  await expect.poll(() => page.locator('.usage').innerText()).toContain('No requests')
  await page.keyboard.press('Escape')
  backend.usage = null
  await openDetails(tab)
  await expect.poll(() => backend.requests('GET /keys/key_store/usage').length).toBe(2)
  expect(await page.locator('.usage').count()).toBe(0)
})

test('requests that cannot be loaded are said to be so, and can be asked for again', async () => {
  const backend = Object.assign(new ScriptedBackend(), { usage: counted })
  backend.next('GET /keys/key_store/usage', problem(503, 'storage_unavailable'))
  const { tab, page } = await open({ lang: 'en', backend })
  await openDetails(tab)
  await expect.poll(() => page.locator('.usage').innerText()).toContain('could not be loaded')
  await page.locator('.usage button').click()
  await expect.poll(() => page.locator('.usage').innerText()).toContain('9,000 accepted')
})

test('a key that was not used for 90 days says so, and its questions say when it was', async () => {
  const backend = new ScriptedBackend([
    keyOf({ id: 'key_old', lastUsedAt: ago.days(120) }),
    keyOf({ id: 'key_new', lastUsedAt: ago.days(89) }),
  ])
  const { tab } = await open({ lang: 'en', backend, attributes: zone })
  const cell = (id: string) => tab.row(id).locator('.c-last')
  expect(await cell('key_old').innerText()).toContain('Not used for over 90 days')
  expect(await cell('key_new').innerText()).not.toContain('Not used')
  for (const action of ['rotate', 'revoke'] as const) {
    await tab.ask(action, 'key_old')
    await expect.poll(() => tab.confirmDialog.innerText()).toContain('Last used: July 24, 2026')
    await tab.confirmDialog.locator('[part=secondary-button]').click()
  }
})

test('the question before a revocation says how often the key was used in the last 24 hours', async () => {
  const backend = Object.assign(new ScriptedBackend(), { usage: counted })
  const { tab } = await open({ lang: 'en', backend, attributes: zone })
  await tab.ask('revoke', 'key_store')
  await expect
    .poll(() => tab.confirmDialog.innerText())
    .toContain('This key was used 9,000 times in the last 24 hours.')
  const [asked] = backend.requests('GET /keys/key_store/usage')
  const query = new URLSearchParams(asked?.search)
  expect(query.get('by')).toBe('hour')
  const span = Date.parse(query.get('to') ?? '') - Date.parse(query.get('from') ?? '')
  expect(Math.floor(span / 3_600_000)).toBe(24)
})

test('it says nothing of the uses of another key, and asks only about one that was used', async () => {
  const keys = [
    keyOf({ id: 'key_one', lastUsedAt: ago.days(1) }),
    keyOf({ id: 'key_two', lastUsedAt: ago.days(1) }),
    keyOf({ id: 'key_new', lastUsedAt: null, uses: 0 }),
  ]
  const backend = Object.assign(new ScriptedBackend(keys), { usage: counted })
  const held = backend.hold('GET /keys/key_one/usage')
  backend.next('GET /keys/key_two/usage', problem(409, 'usage_not_kept'))
  const { tab, page } = await open({ lang: 'en', backend, attributes: zone })
  const leave = () => tab.confirmDialog.locator('[part=secondary-button]').click()
  const answered = () => page.evaluate(() => fetch('api/after'))
  await tab.ask('revoke', 'key_one')
  await held.arrived
  const dropped = page.waitForEvent('requestfailed')
  await leave()
  expect((await dropped).url()).toContain('key_one/usage')
  held.release()
  for (const id of ['key_two', 'key_new']) {
    await tab.ask('revoke', id)
    await answered()
    expect(await tab.confirmDialog.locator('[data-note=recent]').count()).toBe(0)
    await leave()
  }
  const asked = (id: string) => backend.requests(`GET /keys/${id}/usage`).length
  expect([asked('key_two'), asked('key_new')]).toEqual([1, 0])
})
