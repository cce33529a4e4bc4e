import { expect, test } from 'vitest'
import { problem, ScriptedBackend } from '../support/settings-tab/backend.ts'
import { tabTests } from '../support/settings-tab/browser.ts'
import { everyEvent, longHistory } from '../support/settings-tab/events.ts'

const { open } = tabTests()
const PATH = 'GET /keys/key_store/events'

const openWith = (events: ScriptedBackend['events'], attributes = '') =>
  open({ lang: 'en', attributes, backend: Object.assign(new ScriptedBackend(), { events }) })

test('says “you” for the signed-in user, and gives each instant to programs', async () => {
  const event = everyEvent['created']
  const { tab, page } = await openWith(event ? [event] : [], 'user-id="u_1"')
  await tab.openDetails()
  await expect.poll(async () => (await tab.history())[0]).toMatch(/^Created by you · \w+ \d/)
  expect(await page.locator('.history time').getAttribute('datetime')).toBe(event?.at)
})

test('is asked for when the drawer opens, in pages, with the focus on the first of the new events', async () => {
  const { tab, page, backend } = await openWith(longHistory(12))
  expect(backend.requests(PATH)).toHaveLength(0)
  await tab.openDetails()
  const more = page.locator('[data-act=more-events]')
  const focused = () =>
    tab.host.evaluate((element) => element.shadowRoot?.activeElement?.getAttribute('data-event'))
  await expect.poll(async () => (await tab.history()).length).toBe(5)
  expect(backend.requests(PATH)[0]?.headers['miftah-workspace']).toBe('ws_1')
  const held = backend.hold(PATH)
  await more.press('Enter')
  await held.arrived
  expect(await more.getAttribute('aria-disabled')).toBe('true')
  await more.press('Enter')
  held.release()
  await expect.poll(focused).toBe('evt_6')
  expect(backend.requests(PATH)).toHaveLength(2)
  await more.press('Enter')
  await expect.poll(focused).toBe('evt_11')
  expect(await tab.history()).toHaveLength(12)
  expect(await more.count()).toBe(0)
})

test('an answer for a drawer that is closed is dropped', async () => {
  const { tab, page, backend } = await openWith(longHistory(3))
  const held = backend.hold(PATH)
  await tab.openDetails()
  await held.arrived
  const section = page.locator('.history')
  expect(await section.getAttribute('aria-busy')).toBe('true')
  await page.keyboard.press('Escape')
  await expect.poll(() => section.count()).toBe(0)
  held.release()
  await page.waitForTimeout(50)
  expect(await section.count()).toBe(0)
})

test('what cannot be loaded can be asked for again, also for a later page', async () => {
  const { tab, page, backend } = await openWith(longHistory(7))
  const section = page.locator('.history')
  for (const [reply, shown] of [
    [problem(503, 'storage_unavailable'), 5],
    ['cut', 7],
  ] as const) {
    backend.next(PATH, reply)
    if (shown === 5) await tab.openDetails()
    else await page.locator('[data-act=more-events]').click()
    await expect.poll(() => section.innerText()).toContain('could not be loaded')
    await section.getByRole('button', { name: 'Try again' }).click()
    await expect.poll(async () => (await tab.history()).length).toBe(shown)
  }
})

test('an empty history has a sentence, and a host without one shows none', async () => {
  const { tab, page, backend } = await openWith([])
  await tab.openDetails()
  await expect.poll(() => page.locator('.history').innerText()).toContain('Nothing is recorded')
  for (const reply of [problem(404, 'not_found'), problem(403, 'forbidden')]) {
    await page.keyboard.press('Escape')
    backend.next(PATH, reply)
    await tab.openDetails()
    await expect.poll(() => page.locator('.history').count()).toBe(0)
  }
})
