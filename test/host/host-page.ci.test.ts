import type { BrowserContext } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { sharedChromium } from '../support/chromium.ts'
import { dataFolder, type RunningHost, startHost } from '../support/example-host.ts'
import { TabPage } from '../support/settings-tab/tab-page.ts'

let folder: Awaited<ReturnType<typeof dataFolder>>
let host: RunningHost
let context: BrowserContext
let troubles: string[]

beforeAll(async () => {
  folder = await dataFolder()
  host = await startHost({ MIFTAH_DATA: folder.path })
})
afterAll(async () => {
  await host.kill()
  await folder.remove()
})
beforeEach(async () => {
  const permissions = ['clipboard-read', 'clipboard-write']
  context = await (await sharedChromium()).newContext({ permissions })
  troubles = []
})
afterEach(async () => {
  await context.close()
  expect(troubles).toEqual([])
})

async function openPage(lang: 'ar' | 'en'): Promise<TabPage> {
  const page = await context.newPage()
  page.setDefaultTimeout(60_000)
  page.on('pageerror', (error) => troubles.push(error.message))
  // The refusals that a story is about are answers, not troubles.
  page.on('console', (message) => {
    const isTrouble = message.type() === 'error' && !message.text().includes('status of 401')
    if (isTrouble) troubles.push(message.text())
  })
  await page.goto(`${host.address}/?lang=${lang}`)
  return new TabPage(page, lang).ready()
}

async function send({ page }: TabPage): Promise<string> {
  const answered = page.waitForResponse((response) => response.url().endsWith('/contacts'))
  await page.locator('#try button').click()
  await answered
  await page.locator('#answer').waitFor()
  return page.locator('#status').innerText()
}

test.each(['ar', 'en'] as const)(
  'the page of the example host: from nothing to the first 200, and to a dead key (%s)',
  async (lang) => {
    const tab = await openPage(lang)
    const { page } = tab
    const secret = await tab.createKey({ name: `CRM ${lang}`, scopes: ['contacts.read'] })
    await tab.copyButton.click()
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(secret)
    await page.locator('#secret').focus()
    await page.keyboard.press('ControlOrMeta+V')
    expect(await send(tab)).toBe('200')
    expect(await page.locator('#body').innerText()).toContain('contact_1')

    const row = tab.rows.filter({ hasText: `CRM ${lang}` })
    await expect.poll(() => row.locator('bdi.uses').innerText()).toMatch(/1/)
    await row.locator('[part=revoke-button]').click()
    await tab.confirm()
    await row.locator('[part=revoke-button]').waitFor({ state: 'detached' })
    expect(await send(tab)).toBe('401')
  },
)

test('each workspace has its plan: with a meter, or a lock and the way to upgrade', async () => {
  const tab = await openPage('en')
  const { page } = tab
  await page.locator('[part=allowance]').waitFor()
  await Promise.all([
    page.waitForURL(/lang=en/, { waitUntil: 'load' }),
    page.locator('[data-workspace=starter]').click(),
  ])
  await page.locator('[data-workspace=starter][aria-pressed=true]').waitFor()
  await tab.words(tab.text('lock.title')).waitFor()
  await page.getByRole('link', { name: tab.text('lock.cta') }).click()
  await page.waitForURL('**/upgrade')
})
