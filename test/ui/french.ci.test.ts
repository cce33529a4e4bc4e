import { expect, test } from 'vitest'
import type { Message, MessageId, StringOverrides } from '../../adapters/ui/strings/messages.ts'
import { fr } from '../../examples/settings-tab-french/fr.ts'
import { ScriptedBackend } from '../support/settings-tab/backend.ts'
import { type Opened, tabTests } from '../support/settings-tab/browser.ts'
import { fewKeys } from '../support/settings-tab/keys.ts'
import { en } from '../support/settings-tab/strings.ts'

type Tab = HTMLElementTagNameMap['api-keys-tab']

const { open } = tabTests()
const ids = Object.keys(en) as MessageId[]

const formsOf = (message: Message) =>
  typeof message === 'string' ? [message] : Object.values(message)
const placesOf = (message: Message) =>
  [...new Set(formsOf(message).flatMap((form) => form.match(/\{\w+\}/g) ?? []))].sort()

async function opened(strings: StringOverrides): Promise<Opened> {
  const one = await open({ lang: 'en', backend: new ScriptedBackend(fewKeys) })
  await one.tab.host.evaluate((element: Tab, strings) => {
    element.strings = strings
    element.lang = 'fr-CA'
  }, strings)
  await expect.poll(() => one.tab.newKey.innerText()).toContain(fr.new)
  return one
}

test('the example has every sentence, with its places and plural forms', () => {
  expect(Object.keys(fr).sort()).toEqual([...ids].sort())
  const needed = new Intl.PluralRules('fr').resolvedOptions().pluralCategories
  for (const id of ids) {
    const message = fr[id]
    expect([id, placesOf(message)]).toEqual([id, placesOf(en[id])])
    expect([id, typeof message]).toEqual([id, typeof en[id]])
    if (typeof message !== 'string') {
      expect([id, Object.keys(message).sort()]).toEqual([id, [...needed].sort()])
    }
    for (const form of formsOf(message)) expect(form).not.toMatch(/[^\u00a0][?:;»]|«[^\u00a0]/)
  }
})

test('a page adds French with one object', async () => {
  const { tab, page } = await opened({ fr })
  const row = tab.row('key_store')
  expect(await page.locator('[part=allowance-value]').innerText()).toBe('2 clés actives sur 5')
  expect(await row.locator('[part=scopes]').textContent()).toContain('3 autorisations')
  expect(await row.locator('time').innerText()).toBe('Il y a 12 minutes')
  expect(await row.locator('[part=rotate-button]').innerText()).toBe('Renouveler')
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

/** The English sentences that stand in the tab as a whole. */
async function englishIn(page: Opened['page']): Promise<readonly string[]> {
  const texts = await page.locator('api-keys-tab').evaluate((tab) => {
    const walker = document.createTreeWalker(tab.shadowRoot ?? tab, NodeFilter.SHOW_TEXT)
    const found: string[] = []
    while (walker.nextNode()) found.push(walker.currentNode.textContent?.trim() ?? '')
    return found
  })
  const french = new Set(ids.flatMap((id) => formsOf(fr[id])))
  const english = new Set(ids.flatMap((id) => formsOf(en[id])))
  return texts.filter((text) => english.has(text) && !french.has(text))
}
