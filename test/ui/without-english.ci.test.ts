import { expect, test } from 'vitest'
import { defineScopes } from '../../src/index.ts'
import { ScriptedBackend } from '../support/settings-tab/backend.ts'
import { tabTests } from '../support/settings-tab/browser.ts'

const { open } = tabTests()

/** A catalogue whose only language is Arabic. */
const { groups } = defineScopes([
  {
    id: 'invoices',
    label: { ar: 'الفواتير' },
    scopes: [{ scope: 'invoices.read', label: { ar: 'قراءة الفواتير' } }],
  },
])

async function openCreate(lang: 'ar' | 'en') {
  const backend = new ScriptedBackend([])
  backend.next('GET /scopes', { status: 200, body: { groups } })
  const { tab } = await open({ lang, backend })
  await tab.newKey.click()
  await expect.poll(() => tab.createDialog.locator('[part=scope]').count()).toBe(1)
  return tab
}

test('an Arabic tab shows Latin letters in codes and in "API" alone', async () => {
  const { host, createDialog } = await openCreate('ar')
  const root = host.locator('#root')
  expect(await root.innerText()).toMatch(/\p{Script=Arabic}/u)
  for (const part of [root, createDialog]) {
    const words = await part.evaluate((element) => {
      const copy = element.cloneNode(true) as HTMLElement
      for (const code of copy.querySelectorAll('code, bdi, style')) code.remove()
      return copy.textContent?.match(/[A-Za-z]+/g)?.filter((word) => word !== 'API')
    })
    expect(words).toEqual([])
  }
})
