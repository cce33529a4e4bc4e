import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { daysOf, problem, ScriptedBackend } from '../support/settings-tab/backend.ts'
import { type OpenOptions, tabTests } from '../support/settings-tab/browser.ts'
import { everyEvent, longHistory } from '../support/settings-tab/events.ts'
import { ahead, fewKeys, keyOf } from '../support/settings-tab/keys.ts'
import { restrictedBackend } from '../support/settings-tab/restricted.ts'
import { plain } from '../support/settings-tab/tab-page.ts'

const { open } = tabTests()
const EVENTS = 'GET /keys/key_store/events'
const USAGE = 'GET /keys/key_store/usage'
const usage = daysOf(
  (at) => (at % 2 ? 40 * at : 0),
  (at) => (at === 29 ? 3 : 0),
)

function openWith(fields: Partial<ScriptedBackend>, options: OpenOptions = {}) {
  const attributes = 'time-zone="Asia/Riyadh" user-id="u_1"'
  const backend = new ScriptedBackend(fewKeys, fields)
  return open({ lang: 'en', attributes, backend, ...options })
}

/** The lines of the history as they are read. */
async function historyIn(page: Page): Promise<readonly string[]> {
  const lines = await page.locator('.history li').allInnerTexts()
  return lines.map((line) => plain(line).replace(/\s+/g, ' '))
}

test.each(['ar', 'en'] as const)('the history says in words what happened (%s)', async (lang) => {
  const events = Object.values(everyEvent)
  const { tab, page } = await openWith({ events }, { lang })
  await tab.openDetails()
  for (let shown = 5; shown < events.length; shown += 5) {
    await expect.poll(async () => (await historyIn(page)).length).toBe(shown)
    await page.locator('[data-act=more-events]:not([aria-disabled])').click()
  }
  await expect.poll(async () => (await historyIn(page)).length).toBe(events.length)
  const lines = await historyIn(page)
  const fields = new Intl.ListFormat(lang).format(
    (['col.name', 'form.scopes', 'expiry'] as const).map((word) => tab.text(word)),
  )
  Object.keys(everyEvent).forEach((word, at) => {
    const values = { name: 'Former server', fields, date: '' }
    const said = tab.text(`history.${word}` as 'history.created', values).trim()
    expect(lines[at]).toContain(said.replace(/\s+/g, ' '))
  })
  const doers = [tab.text('by', { name: 'Omar Haddad' }), tab.text('by.you'), 'miftah']
  const saidOf = (doer: string) => lines.filter((line) => line.includes(doer)).length
  expect(doers.map(saidOf)).toEqual([8, 3, 0])
  const times = page.locator('.history time')
  expect(await times.first().getAttribute('datetime')).toBe(events[0]?.at)
})

test('the history comes in pages, with the focus on the first of the new events', async () => {
  const { tab, page, backend } = await openWith({ events: longHistory(12) })
  expect(backend.requests(EVENTS)).toHaveLength(0)
  await tab.openDetails()
  const more = page.locator('[data-act=more-events]')
  await expect.poll(async () => (await historyIn(page)).length).toBe(5)
  expect(backend.requests(EVENTS)[0]?.headers['miftah-workspace']).toBe('ws_1')
  const held = backend.hold(EVENTS)
  await more.press('Enter')
  await held.arrived
  expect(await more.getAttribute('aria-disabled')).toBe('true')
  await more.press('Enter')
  held.release()
  await expect.poll(() => tab.focused()).toBe('evt_6')
  expect(backend.requests(EVENTS)).toHaveLength(2)
  backend.next(EVENTS, 'cut')
  await more.press('Enter')
  const section = page.locator('.history')
  await expect.poll(() => section.innerText()).toContain('could be loaded')
  await section.getByRole('button', { name: 'Try again' }).click()
  await expect.poll(() => tab.focused()).toBe('evt_11')
  expect(await historyIn(page)).toHaveLength(12)
  expect(await more.count()).toBe(0)
})

const ABSENT = [problem(404, 'not_found'), problem(403, 'forbidden')]

test.each([
  ['.history', EVENTS, 'Paused', null, ABSENT],
  ['.usage', USAGE, '9,000 accepted', 'No requests', [problem(409, 'usage_not_kept')]],
] as const)(
  'what cannot be loaded can be asked for again, and a host may have none (%s)',
  async (section, path, full, empty, absent) => {
    const { tab, page, backend } = await openWith({ usage, events: longHistory(3) })
    const shown = page.locator(section)
    const again = async () => {
      await page.keyboard.press('Escape')
      await shown.waitFor({ state: 'detached' })
      await tab.openDetails()
    }
    backend.next(path, problem(503, 'storage_unavailable'))
    await tab.openDetails()
    await expect.poll(() => shown.innerText()).toContain('could be loaded')
    await shown.getByRole('button', { name: 'Try again' }).click()
    await expect.poll(() => shown.innerText()).toContain(full)
    Object.assign(backend, { usage: daysOf(() => 0), events: [] })
    await again()
    if (empty === null) await expect.poll(() => shown.count()).toBe(0)
    else await expect.poll(() => shown.innerText()).toContain(empty)
    for (const reply of absent) {
      backend.next(path, reply)
      await again()
      await expect.poll(() => shown.count()).toBe(0)
    }
  },
)

test('an answer for details that are closed is dropped', async () => {
  const { tab, page, backend } = await openWith({ events: longHistory(3) })
  const held = backend.hold(EVENTS)
  await tab.openDetails()
  await held.arrived
  const section = page.locator('.history')
  expect(await section.getAttribute('aria-busy')).toBe('true')
  await page.keyboard.press('Escape')
  await expect.poll(() => section.count()).toBe(0)
  held.release()
  await tab.refresh()
  expect(await section.count()).toBe(0)
})

test('the requests of 30 days are bars and one sentence', async () => {
  const { tab, page, backend } = await openWith({ usage })
  await tab.openDetails()
  const section = page.locator('.usage')
  await expect.poll(() => section.innerText()).toContain('9,000 accepted, 3 refused; last today')
  const heights = await page
    .locator('.bars .accepted')
    .evaluateAll((bars) => bars.map((bar) => Number(bar.getAttribute('height'))))
  expect(heights).toHaveLength(30)
  expect(heights[1]).toBeLessThan(heights[3] ?? 0)
  expect(heights[0]).toBe(0)
  const query = new URLSearchParams(backend.requests(USAGE)[0]?.search)
  expect(query.get('from')).toMatch(/T21:00:00.000Z$/)
  const span = Date.parse(query.get('to') ?? '') - Date.parse(query.get('from') ?? '')
  expect(Math.floor(span / 86_400_000)).toBe(29)
})

test('in Arabic the first day is at the right, and the sums follow their names', async () => {
  const { tab, page } = await openWith({ usage: daysOf((at) => (at ? 0 : 11)) }, { lang: 'ar' })
  await tab.openDetails()
  await expect
    .poll(() => page.locator('.usage').innerText())
    .toContain('المقبولة: 11، والمرفوضة: 0؛ آخرها قبل 29 يومًا')
  const [first, last] = await page
    .locator('.bars .base')
    .evaluateAll((bars) => [bars.at(0), bars.at(-1)].map((bar) => bar?.getBoundingClientRect().x))
  expect(first).toBeGreaterThan(last ?? Number.POSITIVE_INFINITY)
})

test('every moment in the life of a key is named, and the keys before and after it', async () => {
  const backend = new ScriptedBackend([
    keyOf({ id: 'key_b', name: 'B', replaces: 'key_a', expiresAt: ahead(40) }),
    keyOf({ id: 'key_a', name: 'A', status: 'retiring', retiresAt: ahead(1), replacedBy: 'key_b' }),
  ])
  const { tab, page } = await openWith({}, { backend })
  await tab.openDetails('key_a')
  const drawer = page.locator('#details')
  const shown = await drawer.innerText()
  for (const text of ['key_a', 'November 22, 2026 at 4:05 PM', '1,284,302', 'orders.write']) {
    expect(shown).toContain(text)
  }
  expect(shown).toContain('Works until\nNovember 22, 2026')
  expect(shown.split('Being replaced')).toHaveLength(2)
  await drawer.getByRole('button', { name: 'B', exact: true }).click()
  await expect.poll(() => drawer.innerText()).toContain('December 31, 2026')
  expect(await tab.focused()).toBe('details-title')
  await page.keyboard.press('Escape')
  await expect.poll(() => tab.focused()).toBe('menu-button')
})

test('what a key reaches has its names, and an id without a name is shown as it is', async () => {
  const { tab, page } = await openWith({}, { backend: restrictedBackend() })
  await tab.openDetails('key_export')
  const shown = page.locator('#details dl')
  await expect.poll(() => shown.innerText()).toMatch(/Projects\s+Website p_1\s+p_9\s/)
  const text = await shown.innerText()
  for (const part of [tab.strings['res.none'], '2001:db8::/32', 'On the build server']) {
    expect(text).toContain(part)
  }
})

test('the id is copied with its icon, and else selected', async () => {
  const { tab, page } = await openWith({})
  await tab.openDetails()
  const copy = page.locator('[data-act=copy-id]')
  await copy.click()
  await expect.poll(() => copy.getAttribute('aria-label')).toBe('Copied')
  expect(await tab.clipboard()).toBe('key_store')
  await page.evaluate(() => {
    navigator.clipboard.writeText = () => Promise.reject(new DOMException('', 'NotAllowedError'))
    document.execCommand = () => false
  })
  await copy.click()
  await expect.poll(() => tab.heard(tab.strings['copy.fail'])).toBe(true)
  expect(await page.evaluate(() => String(getSelection()))).toBe('key_store')
})
