import type { Browser, BrowserContext } from 'playwright-core'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sharedChromium } from '../support/chromium.ts'
import { isLong } from '../support/runs.ts'
import { recordPage } from '../support/settings-tab/recorder.ts'
import { TabPage } from '../support/settings-tab/tab-page.ts'
import { frameworks, startTabHost, type TabHost } from '../support/tab-host.ts'

let browser: Browser

beforeAll(async () => {
  browser = await sharedChromium()
})

describe.each(frameworks)('the tab on %s with SQLite', (framework) => {
  let host: TabHost
  let context: BrowserContext

  beforeEach(async () => {
    host = await startTabHost(framework)
    context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] })
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

  const shown = (tab: TabPage) => tab.page.locator('[part=root]').innerText()

  const refresh = (tab: TabPage) => tab.page.locator('api-keys-tab').evaluate(reload)

  test.each(['ar', 'en'] as const)('from the first key to the last refusal (%s)', async (lang) => {
    const tab = await openTab(lang)
    const secret = await tab.createKey({ name: 'خادم المتجر', scopes: ['contacts.read'] })
    await tab.copyButton.click()
    await expect.poll(() => tab.page.evaluate(() => navigator.clipboard.readText())).toBe(secret)
    await tab.dismissButton.click()

    expect(await (await call(secret)).json()).toEqual({ workspace: 'palm' })
    await call(secret)
    await host.keys.flush()
    await refresh(tab)
    const [first = ''] = await keyIds()
    await expect.poll(() => tab.row(first).locator('bdi.uses').innerText()).toContain('2')
    expect(await tab.row(first).innerText()).not.toContain(tab.text('never'))

    await tab.ask('rotate', first)
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
    await expect
      .poll(() => tab.row(second).locator('[part~=status]').innerText())
      .toContain(tab.text('status.revoked'))
    expect(await tab.row(second).locator('.actions button:not([part=menu-button])').count()).toBe(0)
    expect((await call(next)).status).toBe(401)
    expect(await tab.page.content()).not.toContain(next)
  })

  // The routes of every framework have tests of their own: the other stories need one to run on.
  if (framework !== frameworks[0] && !isLong) return

  test('a key is edited, paused, resumed and replaced with an overlap', async () => {
    const tab = await openTab('en')
    const { page } = tab
    const secret = await tab.createKey()
    expect((await call(secret)).status).toBe(200)
    await host.keys.flush()
    await tab.words(tab.text('call.works')).waitFor()
    await tab.copyButton.click()
    await tab.dismissButton.click()
    const [id = ''] = await keyIds()
    const status = () => tab.row(id).locator('[part~=status]').innerText()
    const choose = async (item: string) => {
      await tab.row(id).locator('[part=menu-button]').click()
      await page.locator(`[data-item=${item}]`).click()
    }

    await choose('edit')
    await page.locator('#edit-name').fill('Edited here')
    await host.keys.updateKey({
      workspaceId: 'palm',
      id,
      version: 1,
      actor: { id: 'u', name: 'نورة' },
      change: { scopes: ['contacts.read', 'orders.read'] },
    })
    await page.locator('#edit [data-act=submit]').click()
    await page.locator('[data-note=overtaken]').waitFor()
    await page.locator('#edit-expiry').selectOption('7')
    await page.locator('#edit [data-act=submit]').click()
    await expect.poll(() => tab.row(id).innerText()).toContain('Edited here')
    expect(await tab.row(id).innerText()).toContain('2 scopes')
    expect(await tab.row(id).innerText()).toContain('Expires in')

    await choose('pause')
    await tab.confirm()
    await expect.poll(status).toBe('Paused')
    expect((await call(secret)).status).toBe(401)
    await choose('resume')
    await tab.confirm()
    await expect.poll(status).toBe('Active')
    expect((await call(secret)).status).toBe(200)

    await tab.ask('rotate', id)
    await tab.confirmDialog.getByLabel('In 1 hour').check()
    await tab.confirm()
    await page.locator('section.rotated').waitFor()
    expect((await call(secret)).status).toBe(200)
    await tab.row(id).locator('[part=stop-button]').click()
    await tab.confirm()
    await expect.poll(status).toBe('Revoked')
    expect((await call(secret)).status).toBe(401)
    expect((await call((await tab.secret.first().textContent()) ?? '')).status).toBe(200)
    await tab.copyButton.click()
  })

  test('two tabs: one learns what the other revokes', async () => {
    const [here, there] = [await openTab(), await openTab()]
    await here.createKey()
    await refresh(there)
    const [id = ''] = await keyIds()
    await there.ask('rotate', id)
    await here.ask('revoke', id)
    await here.confirm()
    await here.row(id).locator('[part=revoke-button]').waitFor({ state: 'detached' })
    await there.confirm()
    await expect.poll(() => shown(there)).toContain(there.text('e.gone', { name: 'Store server' }))
    await there.row(id).locator('[part=rotate-button]').waitFor({ state: 'detached' })
    expect(await keyIds()).toHaveLength(1)
  })

  test('two tabs: the last place goes to one, and the other keeps what was typed', async () => {
    host.plans.set('palm', { publicApi: true, activeKeyLimit: 1 })
    const [here, there] = [await openTab('en'), await openTab('en')]
    await there.openCreate()
    await there.fill({ name: 'Late one' })
    await here.createKey({ name: 'First one' })
    await there.submit.click()
    await expect.poll(() => there.createDialog.innerText()).toContain(there.text('e.limit'))
    expect(await there.page.locator('#create-name').inputValue()).toBe('Late one')
    expect(await keyIds()).toHaveLength(1)
    expect(await here.newKey.getAttribute('aria-disabled')).toBe('true')
  })
})

function reload(element: Element): unknown {
  return 'refresh' in element && typeof element.refresh === 'function' ? element.refresh() : null
}
