import { expect, test } from 'vitest'
import { tabTests } from '../support/settings-tab/browser.ts'
import { styleOf } from '../support/settings-tab/measure.ts'
import { plain } from '../support/settings-tab/tab-page.ts'

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
  const focus = (place: string | RegExp) => expect.poll(() => tab.focused()).toMatch(place)
  // Two sentences within the announcer's pause are one, so each step waits for its own.
  let said = 0
  const heard = async () => {
    said += 1
    const announced = async () => {
      const texts = (await tab.record()).announced
      // A slow machine also says that it loads.
      return texts
        .map((text) => plain(text).replace(tab.strings.loading, '').trim())
        .filter(Boolean)
    }
    await expect.poll(announced).toEqual(SAID[lang].slice(0, said))
  }
  const goTo = async (place: string, key = 'Tab') => {
    for (let presses = 0; (await tab.focused()) !== place; presses += 1) {
      if (presses === 40) throw new Error(`${key} never came to ${place}`)
      await keyboard.press(key)
    }
  }
  const press = async (place: string, key = 'Enter') => {
    await goTo(place)
    await keyboard.press(key)
  }
  const choose = async (item: string) => {
    await press('menu-button')
    await focus('details')
    await goTo(item, 'ArrowDown')
    await keyboard.press('Enter')
  }
  const confirm = async () => {
    await focus('secondary-button')
    await keyboard.press('Tab')
    await keyboard.press('Enter')
  }
  const copyAndDismiss = async () => {
    await heard()
    await focus(/^copy-/)
    await keyboard.press('Enter')
    await heard()
    await press('dismiss-button')
    await focus('new-key')
    await heard()
    expect(await tab.clipboard()).toBe(backend.secrets.at(-1))
  }

  await press('new-key')
  await focus('create-name')
  await keyboard.type('Store')
  await press('env-live', 'Space')
  await press('scopes-all', 'Space')
  await heard()
  // In any field Enter creates.
  await keyboard.press('Tab')
  await keyboard.press('Enter')
  await copyAndDismiss()

  await goTo('key_new1')
  await choose('edit')
  await focus('edit-name')
  await keyboard.press('End')
  await keyboard.type('s')
  await keyboard.press('Enter')
  await focus('key_new1')
  await heard()
  for (const change of ['pause', 'resume']) {
    await choose(change)
    await confirm()
    await focus('key_new1')
    await heard()
  }
  await press('rotate-button')
  await confirm()
  await copyAndDismiss()

  await goTo('key_new2')
  await press('revoke-button')
  await confirm()
  await focus('ended')
  await heard()
  expect(said).toBe(SAID[lang].length)
  expect(backend.requests('POST')).toHaveLength(5)
})

test('the menu follows the pattern of a menu button', async () => {
  const { tab, page } = await open({ lang: 'en' })
  const button = tab.row('key_store').locator('[part=menu-button]')
  const menu = page.locator('.menu:popover-open')
  await button.focus()
  for (const [key, focused] of [
    ['Enter', 'details'],
    ['ArrowUp', 'pause'],
    ['Home', 'details'],
    ['ArrowDown', 'edit'],
    ['End', 'pause'],
    ['Escape', 'menu-button'],
  ] as const) {
    await page.keyboard.press(key)
    await expect.poll(() => tab.focused()).toBe(focused)
    const isOpen = String(focused !== 'menu-button')
    await expect.poll(() => button.getAttribute('aria-expanded')).toBe(isOpen)
  }
  await button.click()
  await menu.waitFor()
  const item = page.locator('[data-item=edit]')
  await page.mouse.move(0, 0)
  expect(await styleOf(item, 'background-color')).toBe('rgba(0, 0, 0, 0)')
  await page.locator('h1').click()
  await menu.waitFor({ state: 'detached' })
  await button.click()
  await menu.waitFor()
  await button.click()
  await menu.waitFor({ state: 'detached' })
})

test.each([
  ['new-button', 60],
  ['rotate-button', 8],
  ['revoke-button', 8],
] as const)(
  'Tab stays inside the dialog of %s, and Escape gives the focus back',
  async (part, most) => {
    const { tab, page } = await open()
    const opener = page.locator(`[part~=${part}]`).last()
    await opener.press('Enter')
    const dialog = page.locator('dialog[open]')
    await dialog.waitFor()
    for (let presses = 0; presses < most; presses += 1) {
      await page.keyboard.press('Tab')
      const inside = await tab.host.evaluate((element) => {
        const active = element.shadowRoot?.activeElement
        return !active || active.closest('dialog[open]') !== null
      })
      expect(inside).toBe(true)
    }
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    const isFocused = () =>
      opener.evaluate((node) => node === (node.getRootNode() as ShadowRoot).activeElement)
    await expect.poll(isFocused).toBe(true)
  },
)

test('a click beside the details closes them, and none beside a question', async () => {
  const { tab, page } = await open({ lang: 'en' })
  await tab.row('key_store').locator('.name-button').click()
  await page.locator('#details[open]').waitFor()
  await page.mouse.click(5, 400)
  await page.locator('#details[open]').waitFor({ state: 'detached' })
  await tab.ask('revoke', 'key_store')
  await page.mouse.click(5, 400)
  expect(await tab.confirmDialog.isVisible()).toBe(true)
})

test('assistive technology sees the live region of the open dialog, and no other', async () => {
  const { tab, page, context } = await open()
  const session = await context.newCDPSession(page)
  const exposed = async () => {
    const { nodes } = await session.send('Accessibility.getFullAXTree')
    return nodes
      .filter(({ ignored }) => !ignored)
      .map(({ role, name }) => `${role?.value} ${name?.value}`)
  }
  const regions = async () => (await exposed()).filter((name) => name.startsWith('status')).length
  expect(await regions()).toBe(1)
  await tab.openCreate()
  expect(await regions()).toBe(1)
  expect(await exposed()).toContain('dialog مفتاح API جديد')
  expect(await exposed()).not.toContain('button مفتاح جديد')
  await page.locator('#scopes-all').click()
  const region = tab.createDialog.locator('[data-live]')
  await expect.poll(() => region.textContent()).toContain('تم تحديد')
})
