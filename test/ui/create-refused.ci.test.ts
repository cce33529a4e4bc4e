import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { problem, ScriptedBackend } from '../support/settings-tab/backend.ts'
import { tabTests } from '../support/settings-tab/browser.ts'

const { open } = tabTests()

const windows = [
  ['en', 1100, 900],
  ['ar', 1100, 480],
  ['ar', 360, 640],
  ['en', 320, 480],
] as const

test.each(windows)(
  'what is missing is in view and has the focus (%s, %i × %i)',
  async (lang, width, height) => {
    const { tab, page } = await open({ lang, width, height })
    await tab.openCreate()
    // The button is pressed at the end of a long form.
    await page.locator('[data-scope="webhooks.write"]').scrollIntoViewIfNeeded()
    await tab.submit.click()
    await expect.poll(() => tab.focused()).toBe('create-name')
    expect(await hidden(page, ['#create-name', '#create-name-error'])).toEqual([])
    await page.locator('#create-name').fill('Store')
    await tab.submit.click()
    await expect.poll(() => tab.focused()).toBe('env-live')
    expect(await hidden(page, ['#env-live', '#create-env-error'])).toEqual([])
    await page.locator('#env-test').check()
    await page.locator('[data-scope="webhooks.write"]').scrollIntoViewIfNeeded()
    await tab.submit.click()
    await expect.poll(() => tab.focused()).toBe('scopes-all')
    expect(await hidden(page, ['#scopes-all', '#scopes-error'])).toEqual([])
    expect(await page.locator('#scopes-error').innerText()).toBe(tab.strings['v.scopes.required'])
    await expect.poll(() => tab.heard(tab.text('v.summary', { n: 1 }))).toBe(true)
  },
)

test('without a catalogue the message itself has the focus', async () => {
  const backend = new ScriptedBackend()
  backend.always('GET /scopes', problem(503, 'storage_unavailable'))
  const { tab, page } = await open({ backend, lang: 'en', width: 360, height: 640 })
  await tab.newKey.click()
  await page.locator('#create-name').fill('Store')
  await page.locator('#env-test').check()
  await tab.submit.click()
  await expect.poll(() => tab.focused()).toBe('scopes-error')
  expect(await hidden(page, ['#scopes-error'])).toEqual([])
})

test('what the server says about scopes is in view, too', async () => {
  const { tab, page, backend } = await open({ width: 360, height: 640 })
  const issues = [{ path: ['scopes', 0], code: 'unknown_scope', message: 'is unknown' }]
  backend.next('POST /keys', problem(422, 'invalid_input', { issues }))
  await tab.send({ scopes: ['webhooks.write'] })
  await expect.poll(() => tab.focused()).toBe('scopes-all')
  expect(await hidden(page, ['#scopes-all', '#scopes-error'])).toEqual([])
})

/** The selectors of what is not wholly inside the visible part of the dialog. */
function hidden(page: Page, selectors: readonly string[]): Promise<string[]> {
  return page.locator('dialog[open] .dialog-body').evaluate((body, all) => {
    const view = body.getBoundingClientRect()
    return all.filter((selector) => {
      const box = body.querySelector(selector)?.getBoundingClientRect()
      return !box || box.height === 0 || box.top < view.top || box.bottom > view.bottom
    })
  }, selectors)
}
