import type { BrowserContext } from 'playwright-core'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { sharedChromium } from '../chromium.ts'
import { type Framework, startTabHost, type TabHost } from '../tab-host.ts'
import { recordPage } from './recorder.ts'
import { TabPage } from './tab-page.ts'

/** Before each test, starts a host with SQLite that serves the tab; its page breaks no policy. */
export function tabOnHost(framework: Framework) {
  let host: TabHost
  let context: BrowserContext

  beforeEach(async () => {
    host = await startTabHost(framework)
    const permissions = ['clipboard-read', 'clipboard-write']
    context = await (await sharedChromium()).newContext({ permissions })
    await signIn('palm')
  })
  afterEach(async () => {
    const violations = await Promise.all(
      context.pages().map((page) => page.evaluate(() => window.record.violations)),
    )
    await context.close()
    await host.stop()
    expect(violations.flat()).toEqual([])
  })

  /** Moves the session, as a second tab of the browser does. */
  const signIn = (session: string) =>
    context.addCookies([{ name: 'session', value: session, url: host.origin }])

  async function openTab(lang: 'ar' | 'en' = 'ar'): Promise<TabPage> {
    const page = await context.newPage()
    page.setDefaultTimeout(60_000)
    await page.addInitScript(recordPage)
    await page.goto(`${host.origin}/${lang}`)
    return new TabPage(page, lang).ready()
  }

  function call(secret: string): Promise<Response> {
    const headers = { authorization: `Bearer ${secret}` }
    return fetch(`${host.origin}/api/public/v1/contacts`, { headers })
  }

  async function keyIds(): Promise<readonly string[]> {
    const { keys } = await host.keys.listKeys({ workspaceId: 'palm' })
    return keys.map(({ id }) => id)
  }

  const refresh = (tab: TabPage) => tab.page.locator('api-keys-tab').evaluate(reload)

  return { host: () => host, openTab, signIn, call, keyIds, refresh }
}

/** The story of every host: a key is created, called, rotated and revoked. */
export function testWholeLife(
  { host, openTab, call, keyIds, refresh }: ReturnType<typeof tabOnHost>,
  lang: 'ar' | 'en',
): void {
  test(`from the first key to the last refusal (${lang})`, async () => {
    const tab = await openTab(lang)
    const secret = await tab.createKey({ name: 'خادم المتجر', scopes: ['contacts.read'] })
    await tab.copyButton.click()
    await expect.poll(() => tab.page.evaluate(() => navigator.clipboard.readText())).toBe(secret)
    await tab.dismissButton.click()

    expect(await (await call(secret)).json()).toEqual({ workspace: 'palm' })
    await call(secret)
    await host().keys.flush()
    await refresh(tab)
    const [first = ''] = await keyIds()
    await expect.poll(() => tab.row(first).locator('bdi.uses').innerText()).toContain('2')
    expect(await tab.row(first).locator('.c-last').innerText()).not.toBe(tab.text('never'))

    await tab.ask('rotate', first)
    await tab.confirmDialog.locator('[name=overlap][value="0"]').check()
    await tab.confirm()
    await tab.page.locator('section.rotated').waitFor()
    const next = (await tab.secret.first().textContent()) ?? ''
    expect((await call(secret)).status).toBe(401)
    expect((await call(next)).status).toBe(200)
    await tab.copyButton.click()
    await tab.dismissButton.click()

    const [second = ''] = await keyIds()
    await tab.ask('revoke', second)
    await tab.confirm()
    await expect.poll(() => tab.status(second).innerText()).toContain(tab.text('status.revoked'))
    expect(await tab.row(second).locator('.actions button:not([part=menu-button])').count()).toBe(0)
    expect((await call(next)).status).toBe(401)
    expect(await tab.page.content()).not.toContain(next)
  })
}

function reload(element: Element): unknown {
  return 'refresh' in element && typeof element.refresh === 'function' ? element.refresh() : null
}
