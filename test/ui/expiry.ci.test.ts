import { expect, test } from 'vitest'
import { ScriptedBackend } from '../support/settings-tab/backend.ts'
import { tabTests } from '../support/settings-tab/browser.ts'

const { open } = tabTests()
const attributes = 'time-zone="Asia/Riyadh"'

test('a new key expires at the end of the chosen day in the zone of the viewer', async () => {
  const { tab, page, backend } = await open({ attributes })
  await tab.openCreate()
  await tab.fill()
  expect(await page.locator('#create-expiry').inputValue()).toBe('never')
  await page.locator('#create-expiry').selectOption('7')
  await tab.submit.click()
  await tab.banners.first().waitFor()
  // It is the 21st in Riyadh, three hours ahead of UTC.
  const expiresAt = '2026-11-28T20:59:59.999Z'
  expect(backend.requests('POST /keys')[0]?.body).toMatchObject({ expiresAt })
})

test('only what the plan allows can be chosen, and another day is refused for the true reason', async () => {
  const backend = new ScriptedBackend([], { maxLifetimeSeconds: 30 * 86_400 })
  const { tab, page } = await open({ lang: 'en', backend, attributes })
  // Half a minute before midnight in Riyadh: this day is over in a minute.
  await page.clock.setFixedTime(Date.parse('2026-11-21T20:59:30Z'))
  await tab.openCreate()
  await tab.fill()
  const choice = page.locator('#create-expiry')
  const options = await choice.locator('option').allTextContents()
  expect(options).toEqual(['Longest your plan allows', 'In 7 days', 'On a date'])
  await choice.selectOption('date')
  const day = tab.createDialog.getByLabel(tab.strings['expiry.day'])
  expect(await day.getAttribute('min')).toBe('2026-11-22')
  expect(await day.getAttribute('max')).toBe('2026-12-20')
  for (const [chosen, reason] of [
    ['2027-01-01', 'v.expiry'],
    ['2026-11-21', 'v.day.past'],
  ] as const) {
    await day.fill(chosen)
    await tab.submit.click()
    const error = page.locator('#create-expiry-error')
    await expect.poll(() => error.innerText()).toBe(tab.strings[reason])
    await expect.poll(() => tab.focused()).toBe('create-day')
    expect(await day.getAttribute('aria-invalid')).toBe('true')
    expect(await choice.getAttribute('aria-invalid')).toBeNull()
  }
  expect(backend.requests('POST')).toEqual([])
  await choice.selectOption('plan')
  await tab.submit.click()
  await tab.banners.first().waitFor()
  expect(backend.requests('POST /keys')[0]?.body).not.toHaveProperty('expiresAt')
})
