import type { Browser, BrowserContext } from 'playwright-core'
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { sharedChromium } from '../support/chromium.ts'
import { recordPage } from '../support/settings-tab/recorder.ts'
import { TabPage } from '../support/settings-tab/tab-page.ts'
import { startTabHost, type TabHost } from '../support/tab-host.ts'

const user = { id: 'u_noura', name: 'نورة العتيبي' }

let browser: Browser
let host: TabHost
let context: BrowserContext

beforeAll(async () => {
  browser = await sharedChromium()
})

beforeEach(async () => {
  host = await startTabHost('Express')
  context = await browser.newContext()
  await enter('palm')
  return async () => {
    await context.close()
    await host.stop()
  }
})
afterEach(async () => {
  for (const page of context.pages()) {
    expect(await page.evaluate(() => window.record.violations)).toEqual([])
  }
})

/** Moves the session, as a second tab of the browser does. */
const enter = (session: string) =>
  context.addCookies([{ name: 'session', value: session, url: host.origin }])

async function keyOf(workspaceId: string, name: string) {
  const fields = { workspaceId, creator: user, name, environment: 'live' } as const
  return (await host.keys.createKey({ ...fields, scopes: ['contacts.read'] })).key
}

async function names(workspaceId: string) {
  const { keys } = await host.keys.listKeys({ workspaceId })
  return keys.map(({ name, status }) => `${name} ${status}`)
}

async function openTab(lang: 'ar' | 'en'): Promise<TabPage> {
  const page = await context.newPage()
  await page.addInitScript(recordPage)
  await page.goto(`${host.origin}/${lang}`)
  return new TabPage(page, lang).ready()
}

test.each(['ar', 'en'] as const)(
  'New key in the page of a workspace that the session has left creates none (%s)',
  async (lang) => {
    await keyOf('oasis', 'Oasis key')
    const tab = await openTab(lang)
    await tab.openCreate()
    await tab.fill({ name: 'For palm' })
    await enter('oasis')
    await tab.submit.click()
    const told = `${tab.strings.none} ${tab.strings['why.workspace']}`
    await expect.poll(() => tab.notice.innerText()).toBe(told)
    await expect.poll(() => tab.heard(told)).toBe(true)
    await tab.createDialog.waitFor({ state: 'hidden' })
    await expect.poll(() => tab.focused()).toBe('notice')
    await expect.poll(() => tab.rows.innerText()).toContain('Oasis key')
    expect([await names('palm'), await names('oasis')]).toEqual([[], ['Oasis key active']])

    await tab.openCreate()
    expect(await tab.page.locator('#create-name').inputValue()).toBe('For palm')
    await tab.submit.click()
    await tab.banners.first().waitFor()
    expect(await names('oasis')).toContain('For palm active')
  },
)

test.each(['rotate', 'revoke'] as const)(
  'a key of the workspace that the session has left is not called revoked (%s)',
  async (action) => {
    const { id } = await keyOf('palm', 'Leaked')
    const tab = await openTab('en')
    await tab.ask(action, id)
    await enter('oasis')
    await tab.confirm()
    const told = `${tab.strings.none} ${tab.strings['why.workspace']}`
    await expect.poll(() => tab.notice.innerText()).toBe(told)
    await tab.page.locator('[part=empty]').waitFor()
    expect(await tab.page.locator('[part=root]').innerText()).not.toContain('Leaked')
    expect(await names('palm')).toEqual(['Leaked active'])

    await enter('palm')
    await tab.refresh()
    await expect.poll(() => tab.notice.innerText()).toBe(tab.strings['why.workspace'])
    await tab.row(id).waitFor()
  },
)

test('a secret that is on screen says that it is of the workspace before', async () => {
  const tab = await openTab('ar')
  const secret = await tab.createKey({ name: 'نخلة' })
  expect(await tab.page.locator('[data-note=former]').count()).toBe(0)
  await enter('oasis')
  await tab.refresh()
  await expect
    .poll(() => tab.page.locator('[data-note=former]').innerText())
    .toBe(tab.strings['banner.former'])
  expect(await tab.secret.textContent()).toBe(secret)
  await enter('palm')
  await tab.refresh()
  await expect.poll(() => tab.page.locator('[data-note=former]').count()).toBe(0)
  expect(await tab.secret.textContent()).toBe(secret)
})
