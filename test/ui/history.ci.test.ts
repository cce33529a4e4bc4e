import { expect, test } from 'vitest'
import { problem, ScriptedBackend } from '../support/settings-tab/backend.ts'
import { tabTests } from '../support/settings-tab/browser.ts'
import { everyEvent, longHistory } from '../support/settings-tab/events.ts'
import { linesOf, openDetails, showAll } from '../support/settings-tab/history.ts'

const { open } = tabTests()
const PATH = 'GET /keys/key_store/events'
const events = Object.values(everyEvent)

const backendWith = (fields: Partial<ScriptedBackend>) =>
  Object.assign(new ScriptedBackend(), fields)

test('says “you” for the signed-in user, and gives each instant to programs', async () => {
  const backend = backendWith({ events })
  const { tab, page } = await open({ lang: 'en', backend, attributes: 'user-id="u_1"' })
  await openDetails(tab)
  await showAll(tab)
  await expect.poll(async () => (await linesOf(tab)).at(-2)).toMatch(/^Created by you · \w+ \d/)
  const at = await page.locator('.history time').last().getAttribute('datetime')
  expect(at).toBe(events.at(-1)?.at)
})

test('is asked for when the drawer opens, and for the key that it shows', async () => {
  const backend = backendWith({ events })
  const { tab, page } = await open({ lang: 'en', backend })
  expect(backend.requests(PATH)).toHaveLength(0)
  await openDetails(tab)
  await expect.poll(() => backend.requests(PATH).length).toBe(1)
  expect(backend.requests(PATH)[0]?.headers['miftah-workspace']).toBe('ws_1')
  await page.keyboard.press('Escape')
  await openDetails(tab)
  await expect.poll(async () => (await linesOf(tab)).length).toBe(5)
  expect(backend.requests(PATH)).toHaveLength(2)
})

test('comes in pages by keyboard, with the focus on the first of the new events', async () => {
  const { tab, page } = await open({
    lang: 'en',
    backend: backendWith({ events: longHistory(12) }),
  })
  await openDetails(tab)
  const more = page.locator('[data-act=more-events]')
  const focused = () =>
    tab.host.evaluate((element) => element.shadowRoot?.activeElement?.getAttribute('data-event'))
  await expect.poll(async () => (await linesOf(tab)).length).toBe(5)
  await more.press('Enter')
  await expect.poll(focused).toBe('evt_6')
  expect(await linesOf(tab)).toHaveLength(10)
  await more.press('Enter')
  await expect.poll(focused).toBe('evt_11')
  expect(await linesOf(tab)).toHaveLength(12)
  expect(await more.count()).toBe(0)
})

test('a second press while a page is on its way asks no second time', async () => {
  const backend = backendWith({ events: longHistory(12) })
  const { tab, page } = await open({ lang: 'en', backend })
  await openDetails(tab)
  const more = page.locator('[data-act=more-events]')
  await more.waitFor()
  const held = backend.hold(PATH)
  await more.press('Enter')
  await held.arrived
  expect(await page.locator('.history').getAttribute('aria-busy')).toBe('true')
  expect(await more.getAttribute('aria-disabled')).toBe('true')
  await more.press('Enter')
  held.release()
  await expect.poll(async () => (await linesOf(tab)).length).toBe(10)
  expect(backend.requests(PATH)).toHaveLength(2)
})

test('while it loads it says so, and an answer for a drawer that is closed is dropped', async () => {
  const backend = backendWith({ events })
  const { tab, page } = await open({ lang: 'en', backend })
  const held = backend.hold(PATH)
  await openDetails(tab)
  await held.arrived
  const section = page.locator('.history')
  await expect.poll(() => section.innerText()).toContain('Loading the history')
  await page.keyboard.press('Escape')
  await expect.poll(() => section.count()).toBe(0)
  held.release()
  await page.waitForTimeout(50)
  expect(await section.count()).toBe(0)
})

test('what cannot be loaded can be asked for again, also for a later page', async () => {
  const backend = backendWith({ events: longHistory(7) })
  backend.next(PATH, problem(503, 'storage_unavailable'))
  const { tab, page } = await open({ lang: 'en', backend })
  await openDetails(tab)
  const section = page.locator('.history')
  await expect.poll(() => section.innerText()).toContain('could not be loaded')
  await section.getByRole('button', { name: 'Try again' }).click()
  await expect.poll(async () => (await linesOf(tab)).length).toBe(5)
  backend.next(PATH, 'cut')
  await page.locator('[data-act=more-events]').click()
  await expect.poll(() => section.innerText()).toContain('could not be loaded')
  expect(await linesOf(tab)).toHaveLength(5)
  await section.getByRole('button', { name: 'Try again' }).click()
  await expect.poll(async () => (await linesOf(tab)).length).toBe(7)
})

test('an empty history has a sentence', async () => {
  const { tab, page } = await open({ lang: 'en', backend: backendWith({ events: [] }) })
  await openDetails(tab)
  await expect.poll(() => page.locator('.history').innerText()).toContain('Nothing is recorded')
})

test.each([
  ['a host without the route', problem(404, 'not_found')],
  ['a user who may not see it', problem(403, 'forbidden')],
])('%s shows none', async (_, reply) => {
  const backend = new ScriptedBackend()
  backend.always(PATH, reply)
  const { tab, page } = await open({ lang: 'en', backend })
  await openDetails(tab)
  await expect.poll(() => backend.requests(PATH).length).toBe(1)
  await expect.poll(() => page.locator('.history').count()).toBe(0)
})
