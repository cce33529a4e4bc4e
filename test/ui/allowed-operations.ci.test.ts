import { expect, test } from 'vitest'
import type { KeyOperation } from '../../adapters/client/index.ts'
import { ScriptedBackend } from '../support/settings-tab/backend.ts'
import { tabTests } from '../support/settings-tab/browser.ts'
import { ahead, keyOf } from '../support/settings-tab/keys.ts'
import type { TabPage } from '../support/settings-tab/tab-page.ts'

const { open } = tabTests()
type Tab = HTMLElementTagNameMap['api-keys-tab']

/** A key for every button and every entry of the menus. */
const keys = [
  keyOf({ id: 'key_active' }),
  keyOf({ id: 'key_paused', status: 'paused', pausedAt: ahead(-1) }),
  keyOf({ id: 'key_retiring', status: 'retiring', retiresAt: ahead(1), replacedBy: 'key_active' }),
  keyOf({ id: 'key_expired', status: 'expired', expiresAt: ahead(-1) }),
]

function backendFor(...allowedOperations: readonly KeyOperation[]): ScriptedBackend {
  const allowed = { allowedOperations, activeKeyLimit: null }
  return Object.assign(new ScriptedBackend(keys), allowed)
}

/** What the menu of a key offers. */
async function itemsOf(tab: TabPage, id: string): Promise<readonly (string | null)[]> {
  await tab.row(id).locator('[part=menu-button]').click()
  await tab.page.locator('.menu:popover-open').waitFor()
  const items = await tab.page.locator('[data-item]').all()
  const names = await Promise.all(items.map((item) => item.getAttribute('data-item')))
  await tab.page.keyboard.press('Escape')
  return names
}

/** Everything that the tab offers, as the operation that it asks for. */
async function offered(tab: TabPage): Promise<readonly KeyOperation[]> {
  const count = (selector: string) => tab.page.locator(selector).count()
  const items: (string | null)[] = []
  await tab.unfold()
  for (const { id } of keys) items.push(...(await itemsOf(tab, id)))
  const creates = (await count('#new-key')) > 0
  const revokes = [
    await tab.row('key_active').locator('[part=revoke-button]').count(),
    await tab.row('key_retiring').locator('[part=stop-button]').count(),
  ].map(Boolean)
  // Two ways to the same operation come and go together.
  expect(new Set(revokes).size).toBe(1)
  expect(items.filter((item) => item === 'details')).toHaveLength(keys.length)
  const all: readonly (readonly [KeyOperation, boolean | undefined])[] = [
    ['createKey', creates],
    ['updateKey', items.includes('edit')],
    ['pauseKey', items.includes('pause')],
    ['resumeKey', items.includes('resume')],
    ['rotateKey', (await count('[part=rotate-button]')) > 0],
    ['revokeKey', revokes[0]],
  ]
  return all.filter(([, isOffered]) => isOffered).map(([operation]) => operation)
}

test.each([
  [['createKey', 'updateKey', 'pauseKey', 'resumeKey', 'rotateKey', 'revokeKey']],
  [['createKey']],
  [['updateKey']],
  [['pauseKey', 'resumeKey']],
  [['rotateKey']],
  [['revokeKey']],
  [[]],
] as const)('what may be done is offered, and nothing else: %j', async (allowed) => {
  const { tab } = await open({ lang: 'en', backend: backendFor(...allowed) })
  expect(await offered(tab)).toEqual(allowed)
})

test.each(['ar', 'en'] as const)('a list that is only read says so in %s', async (lang) => {
  const { tab, page } = await open({ lang, backend: backendFor() })
  const note = page.locator('[data-note=read-only]')
  expect(await note.innerText()).toContain(tab.strings['forbidden.title'])
  expect(await note.innerText()).toContain(tab.strings['forbidden.body'])
  expect(await tab.rows.count()).toBe(3)
  await tab.choose('key_active', 'details')
  await page.locator('dialog#details[open]').waitFor()
})

test('an empty list for reading does not explain how to create a key', async () => {
  const backend = Object.assign(new ScriptedBackend([]), { allowedOperations: [] })
  const { tab, page } = await open({ lang: 'en', backend })
  expect(await tab.words(tab.strings['empty.title']).isVisible()).toBe(true)
  expect(await page.locator('.steps').count()).toBe(0)
  expect(await page.locator('[data-note=read-only]').count()).toBe(1)
})

test('the page cannot open what is not allowed', async () => {
  const { tab } = await open({ backend: backendFor('revokeKey') })
  await tab.host.evaluate((element: Tab) => element.openCreate())
  expect(await tab.createDialog.evaluate((dialog: HTMLDialogElement) => dialog.open)).toBe(false)
})

test('a pause is not offered in place of a revocation where it is not allowed', async () => {
  const { tab, page } = await open({ lang: 'en', backend: backendFor('revokeKey') })
  // The menu brings the later file, without which no pause is offered.
  await itemsOf(tab, 'key_active')
  await tab.ask('revoke', 'key_active')
  expect(await page.locator('[data-act=instead]').count()).toBe(0)
})

test('a right that is taken away meanwhile: it says so, and the list no longer offers it', async () => {
  const backend = backendFor('createKey', 'rotateKey', 'revokeKey')
  const { tab, page } = await open({ lang: 'en', backend })
  await tab.ask('revoke', 'key_active')
  backend.allowedOperations = ['rotateKey']
  await tab.confirm()
  const alert = tab.confirmDialog.getByRole('alert')
  const said = `${tab.text('none')} ${tab.text('e.forbidden')}`
  await expect.poll(() => alert.innerText()).toBe(said)
  await expect.poll(() => page.locator('[part=revoke-button]').count()).toBe(0)
  expect(await page.locator('#new-key').count()).toBe(0)
  expect(await page.locator('[part=rotate-button]').count()).toBeGreaterThan(0)
  await page.keyboard.press('Escape')
  await expect.poll(() => tab.focused()).toBe('root')
  // It is given back: the next list offers it again.
  backend.allowedOperations = ['rotateKey', 'revokeKey']
  await tab.refresh()
  await expect.poll(() => page.locator('[part=revoke-button]').count()).toBeGreaterThan(0)
})

test('so do the dialogs in which a key is made and changed, and keep what was typed', async () => {
  const backend = backendFor('createKey', 'updateKey')
  const { tab, page } = await open({ lang: 'en', backend })
  await tab.openCreate()
  await tab.fill({ name: 'Typed already' })
  backend.allowedOperations = ['updateKey']
  await tab.submit.click()
  const created = `${tab.text('none')} ${tab.text('e.forbidden')}`
  await expect.poll(() => tab.createDialog.getByRole('alert').innerText()).toBe(created)
  expect(await page.locator('#create-name').inputValue()).toBe('Typed already')
  await page.keyboard.press('Escape')
  await tab.choose('key_active', 'edit')
  await page.locator('#edit-name').fill('Another name')
  backend.allowedOperations = []
  await page.locator('dialog#edit [data-act=submit]').click()
  const changed = `${tab.text('none')} ${tab.text('e.forbidden')}`
  await expect.poll(() => page.locator('dialog#edit [role=alert]').innerText()).toBe(changed)
  await expect.poll(() => page.locator('[data-note=read-only]').count()).toBe(1)
})
