import { expect, test } from 'vitest'
import type { KeyOperation } from '../../adapters/client/index.ts'
import { KEY_OPERATIONS } from '../../adapters/http/lib/management/wire/key-operations.ts'
import { ScriptedBackend } from '../support/settings-tab/backend.ts'
import { tabTests } from '../support/settings-tab/browser.ts'
import { ahead, keyOf } from '../support/settings-tab/keys.ts'
import type { TabPage } from '../support/settings-tab/tab-page.ts'

const { open } = tabTests()

/** A key for every button and every entry of the menus. */
const keys = [
  keyOf({ id: 'key_active' }),
  keyOf({ id: 'key_paused', status: 'paused', pausedAt: ahead(-1) }),
  keyOf({ id: 'key_retiring', status: 'retiring', retiresAt: ahead(1), replacedBy: 'key_active' }),
  keyOf({ id: 'key_expired', status: 'expired', expiresAt: ahead(-1) }),
  keyOf({ id: 'key_revoked', status: 'revoked', revokedAt: ahead(-1) }),
]

const openWith = (...allowedOperations: readonly KeyOperation[]) =>
  open({
    lang: 'en',
    backend: new ScriptedBackend(keys, { allowedOperations, activeKeyLimit: null }),
  })

/** What the menu of each key offers. */
async function menusIn(tab: TabPage): Promise<Record<string, string>> {
  const menus: Record<string, string> = {}
  await tab.unfold()
  for (const { id, status } of keys) {
    await tab.row(id).locator('[part=menu-button]').click()
    await tab.page.locator('.menu:popover-open').waitFor()
    const items = await tab.page.locator('[data-item]').all()
    const names = await Promise.all(items.map((item) => item.getAttribute('data-item')))
    menus[status] = names.join(' ')
    await tab.page.keyboard.press('Escape')
  }
  return menus
}

test('what a menu offers follows the status of its key', async () => {
  const { tab } = await openWith(...KEY_OPERATIONS)
  expect(await menusIn(tab)).toEqual({
    active: 'details edit pause',
    paused: 'details edit resume',
    retiring: 'details',
    expired: 'details',
    revoked: 'details',
  })
})

test.each([
  [['createKey', 'updateKey', 'pauseKey', 'resumeKey', 'rotateKey', 'revokeKey']],
  [['createKey']],
  [['updateKey']],
  [['pauseKey', 'resumeKey']],
  [['rotateKey']],
  [['revokeKey']],
  [[]],
] as const)('what may be done is offered, and nothing else: %j', async (allowed) => {
  const { tab, page } = await openWith(...allowed)
  const menus = Object.values(await menusIn(tab)).join()
  const count = (selector: string) => page.locator(selector).count()
  const ways: readonly (readonly [KeyOperation, boolean])[] = [
    ['createKey', (await count('#new-key')) > 0],
    ['updateKey', menus.includes('edit')],
    ['pauseKey', menus.includes('pause')],
    ['resumeKey', menus.includes('resume')],
    ['rotateKey', (await count('[part=rotate-button]')) > 0],
    ['revokeKey', (await count('[part=revoke-button]')) > 0],
  ]
  expect(ways.filter(([, isOffered]) => isOffered).map(([operation]) => operation)).toEqual(allowed)
  expect((await count('[part=stop-button]')) > 0).toBe(allowed.some((one) => one === 'revokeKey'))
  expect(menus.split('details')).toHaveLength(keys.length + 1)
})

test('neither the page nor the question before a revocation offers what is not allowed', async () => {
  const { tab, page } = await openWith('revokeKey')
  await tab.host.evaluate((element: HTMLElementTagNameMap['api-keys-tab']) => element.openCreate())
  expect(await page.locator('dialog[open]').count()).toBe(0)
  await tab.openDetails('key_active')
  await page.keyboard.press('Escape')
  await tab.ask('revoke', 'key_active')
  expect(await page.locator('[data-act=instead]').count()).toBe(0)
})

test('an empty list for reading does not explain how to create a key', async () => {
  const backend = new ScriptedBackend([], { allowedOperations: [] })
  const { page } = await open({ backend })
  expect(await page.locator('.steps').count()).toBe(0)
  expect(await page.locator('[data-note=read-only]').count()).toBe(1)
})

test('a right that is taken away meanwhile: it says so, and the list no longer offers it', async () => {
  const { tab, page, backend } = await openWith('createKey', 'rotateKey', 'revokeKey')
  await tab.ask('revoke', 'key_active')
  backend.allowedOperations = ['rotateKey']
  await tab.confirm()
  const said = `${tab.text('none')} ${tab.text('e.forbidden')}`
  await expect.poll(() => tab.alert.innerText()).toBe(said)
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
  const { tab, page, backend } = await openWith('createKey', 'updateKey')
  const said = `${tab.text('none')} ${tab.text('e.forbidden')}`
  await tab.openCreate()
  await tab.fill({ name: 'Typed already' })
  backend.allowedOperations = ['updateKey']
  await tab.submit.click()
  await expect.poll(() => tab.alert.innerText()).toBe(said)
  expect(await page.locator('#create-name').inputValue()).toBe('Typed already')
  await page.keyboard.press('Escape')
  await tab.openFrom('key_active', 'edit')
  await page.locator('#edit-name').fill('Another name')
  backend.allowedOperations = []
  await tab.submit.click()
  await expect.poll(() => tab.alert.innerText()).toBe(said)
  await expect.poll(() => page.locator('[data-note=read-only]').count()).toBe(1)
})
