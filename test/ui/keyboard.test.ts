import type { CDPSession } from 'playwright-core'
import { expect, test } from 'vitest'
import { tabTests } from '../support/settings-tab/browser.ts'
import type { TabPage } from '../support/settings-tab/tab-page.ts'

const { open } = tabTests()

/** The announcements to a screen reader over the life of a key. */
const SAID = {
  en: [
    '24 selected',
    'Key “Store” was created',
    'Copied. You can close this.',
    'Dismissed. The key is no longer shown.',
    'Key “Stores” saved.',
    'Key “Stores” paused.',
    'Key “Stores” works again.',
    'Key “Stores” was replaced',
    'Copied. You can close this.',
    'Dismissed. The key is no longer shown.',
    'Key “Stores (rotated)” revoked.',
  ],
  ar: [
    'تم تحديد 24 صلاحية',
    'تم إنشاء المفتاح «Store»',
    'تم النسخ. يمكنك إغلاق هذا.',
    'تم إغلاق التنبيه. لم يعد المفتاح ظاهرًا.',
    'تم حفظ المفتاح «Stores».',
    'تم إيقاف المفتاح «Stores» مؤقتًا.',
    'أُعيد تفعيل المفتاح «Stores».',
    'تم استبدال المفتاح «Stores»',
    'تم النسخ. يمكنك إغلاق هذا.',
    'تم إغلاق التنبيه. لم يعد المفتاح ظاهرًا.',
    'تم إبطال المفتاح «Stores (rotated)».',
  ],
}

test.each(['ar', 'en'] as const)('the life of a key without a mouse (%s)', async (lang) => {
  const { tab, page, backend } = await open({ lang })
  const { keyboard } = page
  // Two sentences within the announcer's pause are one, so each step waits for its own.
  const announced = async () =>
    (await tab.record()).announced.map((text) => text.replace(/[\u2066-\u2069]/g, ''))
  const heard = (count: number) => expect.poll(announced).toEqual(SAID[lang].slice(0, count))
  await tabTo(tab, 'new-key')
  await keyboard.press('Enter')
  await expect.poll(() => tab.focused()).toBe('create-name')
  await keyboard.type('Store')
  await tabTo(tab, 'env-live')
  await keyboard.press('Space')
  await tabTo(tab, 'scopes-all')
  await keyboard.press('Space')
  await heard(1)
  // In any field Enter creates.
  await keyboard.press('Tab')
  await keyboard.press('Enter')
  await heard(2)
  await copy(tab)
  await heard(3)
  await dismiss(tab)
  await heard(4)
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(backend.secrets[0])
  await tabTo(tab, 'key_new1')
  await menuItem(tab, 'edit')
  await expect.poll(() => tab.focused()).toBe('edit-name')
  await keyboard.press('End')
  await keyboard.type('s')
  await keyboard.press('Enter')
  await expect.poll(() => tab.focused()).toBe('key_new1')
  await heard(5)

  for (const [index, change] of ['pause', 'resume'].entries()) {
    await menuItem(tab, change)
    await confirm(tab)
    await expect.poll(() => tab.focused()).toBe('key_new1')
    await heard(6 + index)
  }

  await tabTo(tab, 'rotate-button')
  await keyboard.press('Enter')
  await confirm(tab)
  await heard(8)
  await copy(tab)
  await heard(9)
  await dismiss(tab)
  await heard(10)
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(backend.secrets[1])

  await tabTo(tab, 'key_new2')
  await tabTo(tab, 'revoke-button')
  await keyboard.press('Enter')
  await confirm(tab)
  await expect.poll(() => tab.focused()).toBe('ended')
  expect(backend.requests('POST')).toHaveLength(5)

  await heard(SAID[lang].length)
})

async function confirm(tab: TabPage): Promise<void> {
  await expect.poll(() => tab.focused()).toBe('secondary-button')
  await tab.page.keyboard.press('Tab')
  await tab.page.keyboard.press('Enter')
}

async function menuItem(tab: TabPage, item: string): Promise<void> {
  const { keyboard } = tab.page
  // The name, the date, Rotate and Revoke are before it.
  while ((await tab.focused()) !== 'menu-button') await keyboard.press('Tab')
  await keyboard.press('Enter')
  await expect.poll(() => tab.focused()).toBe('menu-item')
  for (let presses = 0; presses < 8; presses += 1) {
    const at = await tab.host.evaluate((element) =>
      element.shadowRoot?.activeElement?.getAttribute('data-item'),
    )
    if (at === item) return keyboard.press('Enter')
    await keyboard.press('ArrowDown')
  }
  throw new Error(`No ${item} in the menu`)
}

test('Escape gives the focus back to what opened the question', async () => {
  const { tab, page } = await open()
  await page.locator('[data-row=key_test]').waitFor()
  const opener = tab.row('key_test').locator('[part=revoke-button]')
  await opener.focus()
  await page.keyboard.press('Enter')
  await tab.confirmDialog.waitFor()
  await page.keyboard.press('Escape')
  await tab.confirmDialog.waitFor({ state: 'hidden' })
  expect(
    await opener.evaluate((node) => node === (node.getRootNode() as ShadowRoot).activeElement),
  ).toBe(true)
})

test.each([
  ['create', 60],
  ['rotate', 8],
  ['revoke', 8],
] as const)('Tab stays inside the %s dialog', async (which, most) => {
  const { tab, page } = await open()
  if (which === 'create') await tab.openCreate()
  else await tab.ask(which, 'key_store')
  for (let presses = 0; presses < most; presses += 1) {
    await page.keyboard.press('Tab')
    const inside = await tab.host.evaluate((element) => {
      const active = element.shadowRoot?.activeElement
      return !active || active.closest('dialog[open]') !== null
    })
    expect(inside).toBe(true)
  }
})

test('assistive technology sees the live region of the open dialog, and no other', async () => {
  const { tab, page, context } = await open()
  const session = await context.newCDPSession(page)
  const exposed = async () =>
    (await nodesOf(session)).filter(({ role }) => role === 'status').length
  expect(await exposed()).toBe(1)
  await tab.openCreate()
  expect(await exposed()).toBe(1)
  const names = (await nodesOf(session)).map(({ role, name }) => `${role} ${name}`)
  expect(names).toContain('dialog مفتاح API جديد')
  expect(names).not.toContain('button مفتاح جديد')
  await page.locator('#scopes-all').click()
  const region = tab.createDialog.locator('[data-live]')
  await expect.poll(() => region.textContent()).toContain('صلاحية')
})

async function copy(tab: TabPage): Promise<void> {
  await expect.poll(() => tab.focused()).toMatch(/^copy-/)
  await tab.page.keyboard.press('Enter')
  await expect.poll(() => tab.copyButton.first().innerText()).toContain(tab.strings.copied)
}

async function dismiss(tab: TabPage): Promise<void> {
  await tabTo(tab, 'dismiss-button')
  await tab.page.keyboard.press('Enter')
  await expect.poll(() => tab.focused()).toBe('new-key')
}

async function tabTo(tab: TabPage, place: string): Promise<void> {
  for (let presses = 0; presses < 40; presses += 1) {
    if ((await tab.focused()) === place) return
    await tab.page.keyboard.press('Tab')
  }
  throw new Error(`Tab never came to ${place}`)
}

interface SeenNode {
  readonly role: string
  readonly name: string
}

async function nodesOf(session: CDPSession): Promise<readonly SeenNode[]> {
  const { nodes } = await session.send('Accessibility.getFullAXTree')
  return nodes
    .filter(({ ignored }) => !ignored)
    .map(({ role, name }) => ({ role: String(role?.value), name: String(name?.value) }))
}
