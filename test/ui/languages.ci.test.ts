import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { fr } from '../../examples/settings-tab-french/fr.ts'
import { defineScopes } from '../../src/index.ts'
import { ScriptedBackend } from '../support/settings-tab/backend.ts'
import { tabTests } from '../support/settings-tab/browser.ts'
import { en } from '../support/settings-tab/strings.ts'

const { open } = tabTests()

const formsOf = (messages: object) =>
  new Set(
    Object.values(messages).flatMap((one) => (typeof one === 'string' ? one : Object.values(one))),
  )

/** The English sentences that stand in the tab as a whole. */
async function englishIn(page: Page): Promise<readonly string[]> {
  const texts = await page.locator('api-keys-tab').evaluate((tab) => {
    const walker = document.createTreeWalker(tab.shadowRoot ?? tab, NodeFilter.SHOW_TEXT)
    const found: string[] = []
    while (walker.nextNode()) found.push(walker.currentNode.textContent?.trim() ?? '')
    return found
  })
  const [french, english] = [formsOf(fr), formsOf(en)]
  return texts.filter((text) => english.has(text) && !french.has(text))
}

test('a page adds French with one object', async () => {
  const { tab, page } = await open({ lang: 'en' })
  await tab.set({ strings: { fr }, lang: 'fr-CA' })
  await expect.poll(() => tab.newKey.innerText()).toContain(fr.new)
  const row = tab.row('key_store')
  expect(await tab.allowance.innerText()).toBe('2 clés actives sur 5')
  for (const shown of ['3 autorisations', 'Il y a 12 minutes', 'Renouveler']) {
    expect(await row.innerText()).toContain(shown)
  }
  await tab.unfold()
  expect(await tab.row('key_old').innerText()).toContain('24 juin 2026')
  await tab.createKey({ name: 'CRM' })
  await row.locator('[part=menu-button]').click()
  await page.locator('[part=menu-item]').first().waitFor()
  expect(await englishIn(page)).toEqual([])
  await page.keyboard.press('Escape')
  await tab.ask('rotate', 'key_store')
  expect(await englishIn(page)).toEqual([])
})

test('an Arabic tab shows Latin letters in codes and in "API" alone', async () => {
  const { groups } = defineScopes([
    {
      id: 'invoices',
      label: { ar: 'الفواتير' },
      scopes: [{ scope: 'invoices.read', label: { ar: 'قراءة الفواتير' } }],
    },
  ])
  const backend = new ScriptedBackend([])
  backend.next('GET /scopes', { status: 200, body: { groups } })
  const { tab } = await open({ backend })
  await tab.openCreate()
  expect(await tab.said()).toMatch(/\p{Script=Arabic}/u)
  const words = await tab.host.evaluate(({ shadowRoot }) => {
    const copy = shadowRoot?.querySelector('#root')?.cloneNode(true) as HTMLElement
    for (const code of copy.querySelectorAll('code, bdi, style')) code.remove()
    return copy.textContent?.match(/[A-Za-z]+/g)?.filter((word) => word !== 'API')
  })
  expect(words).toEqual([])
})

test('the language changes at run time, with the dialog and its draft', async () => {
  const { tab, page } = await open()
  await tab.openCreate()
  await tab.fill({ name: 'Draft' })
  await page.evaluate(() => {
    document.documentElement.lang = 'en'
    document.documentElement.dir = 'ltr'
  })
  const title = page.locator('#create-title')
  await expect.poll(() => title.innerText()).toBe('New API key')
  expect(await tab.createDialog.getAttribute('dir')).toBe('ltr')
  expect(await page.locator('#create-name').inputValue()).toBe('Draft')
  expect(await page.locator('[part=scope] span').first().innerText()).toBe('Send')
  await tab.host.evaluate((element) => element.setAttribute('lang', 'ar'))
  await expect.poll(() => title.innerText()).toBe('مفتاح API جديد')
  expect(await tab.createDialog.getAttribute('dir')).toBe('rtl')
})
