import type { Browser, BrowserContext } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sharedChromium } from '../support/chromium.ts'
import { dataFolder, type RunningHost, startHost } from '../support/example-host.ts'
import { TabPage } from '../support/settings-tab/tab-page.ts'

let browser: Browser
let folder: Awaited<ReturnType<typeof dataFolder>>
let host: RunningHost
let context: BrowserContext
let troubles: string[]

beforeAll(async () => {
  browser = await sharedChromium()
  folder = await dataFolder()
  host = await startHost({ MIFTAH_DATA: folder.path })
})
afterAll(async () => {
  await host.kill()
  await folder.remove()
})

beforeEach(async () => {
  context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] })
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
    if (message.type() === 'error' && !message.text().includes('status of 401')) {
      troubles.push(message.text())
    }
  })
  await page.goto(`${host.address}/?lang=${lang}`)
  return new TabPage(page, lang).ready()
}

async function send(tab: TabPage): Promise<string> {
  const answered = tab.page.waitForResponse((response) => response.url().endsWith('/contacts'))
  await tab.page.locator('#try button').click()
  await answered
  await tab.page.locator('#answer').waitFor()
  return tab.page.locator('#status').innerText()
}

describe('the page of the example host', () => {
  test.each(['ar', 'en'] as const)(
    'from nothing to the first 200, and to a dead key (%s)',
    async (lang) => {
      const tab = await openPage(lang)
      const secret = await tab.createKey({ name: `CRM ${lang}`, scopes: ['contacts.read'] })
      await tab.copyButton.click()
      await expect.poll(() => tab.page.evaluate(() => navigator.clipboard.readText())).toBe(secret)
      await tab.page.locator('#secret').focus()
      await tab.page.keyboard.press('ControlOrMeta+V')
      expect(await send(tab)).toBe('200')
      expect(await tab.page.locator('#body').innerText()).toContain('contact_1')

      const row = tab.rows.filter({ hasText: `CRM ${lang}` })
      await expect.poll(() => row.locator('bdi.uses').innerText()).toMatch(/1/)
      await row.locator('[part=revoke-button]').click()
      await tab.confirm()
      await row.locator('[part=revoke-button]').waitFor({ state: 'detached' })
      expect(await send(tab)).toBe('401')
    },
  )

  test('each workspace has its plan: a meter, no meter, a lock', async () => {
    const tab = await openPage('en')
    const { page } = tab
    const enter = async (workspace: string) => {
      await Promise.all([
        page.waitForURL(/lang=en/, { waitUntil: 'load' }),
        page.locator(`[data-workspace=${workspace}]`).click(),
      ])
      await page.locator(`[data-workspace=${workspace}][aria-pressed=true]`).waitFor()
      await tab.ready()
    }
    await page.locator('[part=allowance]').waitFor()
    await enter('enterprise')
    expect(await page.locator('[part=allowance]').count()).toBe(0)
    await enter('starter')
    await tab.words(tab.text('lock.title')).waitFor()
    await page.getByRole('link', { name: tab.text('lock.cta') }).click()
    await page.waitForURL('**/upgrade')
  })
})
