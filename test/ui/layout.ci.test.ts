import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { ScriptedBackend } from '../support/settings-tab/backend.ts'
import { tabTests } from '../support/settings-tab/browser.ts'
import { fewKeys } from '../support/settings-tab/keys.ts'
import { scrollsSideways, styleOf } from '../support/settings-tab/measure.ts'
import { livingKeys } from '../support/settings-tab/scenes.ts'

const { open } = tabTests({ fonts: true })
const fingers = { hasTouch: true, isMobile: true }

test.each([
  ['ar', 360, {}],
  ['en', 360, {}],
  ['en', 320, {}],
  ['ar', 390, fingers],
  ['en', 390, fingers],
] as const)(
  'on a phone every field is there, and everything to press is 44 px high (%s, %i px, %j)',
  async (lang, width, by) => {
    const backend = new ScriptedBackend([...fewKeys.slice(0, 1), ...livingKeys.slice(1)])
    const attributes = 'call-url="https://a.example"'
    const context = { ...by, viewport: { width, height: 640 } }
    const { tab, page } = await open({ lang, width, backend, attributes, context })
    const isTouched = by === fingers
    const pressed = isTouched ? 'button, select, input, summary, label.box' : 'button'
    expect(await scrollsSideways(tab.host)).toBe(false)
    const row = tab.row('key_store')
    for (const text of ['خادم المتجر', 'svc_live_a1b…', '1,284,302']) {
      expect(await row.innerText()).toContain(text)
    }
    for (const cell of await row.locator('td').all()) expect(await cell.isVisible()).toBe(true)
    expect(await page.getByRole('table').count()).toBe(1)
    expect(await page.getByRole('columnheader').count()).toBe(7)
    expect(await row.getByRole('rowheader').count()).toBe(1)
    expect(await row.getByRole('cell').count()).toBe(6)
    expect(await lower(page, 44, pressed)).toEqual([])

    await tab.openCreate()
    const box = await tab.createDialog.boundingBox()
    expect(box?.width).toBeLessThanOrEqual(width - 24)
    expect(box?.height).toBeLessThanOrEqual(640 - 24)
    expect(await lower(page, 44, pressed)).toEqual([])
    expect(await lower(page, 36, 'label.box')).toEqual([])
    const rail = await page.locator('.segments').boundingBox()
    const choice = await page.locator('#env-live').boundingBox()
    expect(choice?.height).toBeLessThanOrEqual(rail?.height ?? 0)
    const body = tab.createDialog.locator('.dialog-body')
    expect(await body.evaluate((node) => node.scrollWidth > node.clientWidth)).toBe(false)
    // The last box is brought above the footer when it is focused.
    const last = page.locator('[data-scope="webhooks.write"]')
    await last.focus()
    const lastBox = await last.boundingBox()
    const foot = await tab.createDialog.locator('.dialog-foot').boundingBox()
    expect((lastBox?.y ?? 0) + (lastBox?.height ?? 0)).toBeLessThanOrEqual(foot?.y ?? 0)
    await page.keyboard.press('Escape')

    await tab.ask('revoke', 'key_store')
    for (const button of ['.instead', '[data-act=confirm]']) {
      expect([button, await linesOf(page, button)]).toEqual([button, 1])
    }
    await page.keyboard.press('Escape')
    await tab.createKey()
    expect(await linesOf(page, '[data-act=show-call]')).toBe(1)
    await page.locator('[data-act=show-call]').click()
    expect(await scrollsSideways(tab.host)).toBe(false)
    // The words do not run below the cross.
    const free = await styleOf(page.locator('.banner p').first(), 'padding-inline-end')
    expect(free).toBe('40px')
  },
)

/** What can be pressed, in the open dialog if there is one, and is lower; a name has the menu beside it. */
function lower(page: Page, least: number, selector: string) {
  return page.locator('api-keys-tab').evaluate(
    ({ shadowRoot: root }, { least, selector }) => {
      const layer = root?.querySelector('dialog[open]') ?? root?.querySelector('#root')
      return [...(layer?.querySelectorAll(selector) ?? [])]
        .filter((node) => !node.matches('label input, .name-button, .link, .fold'))
        .map((node) => [node.className || node.id, node.getBoundingClientRect().height] as const)
        .filter(([, height]) => height > 0 && height < least)
    },
    { least, selector },
  )
}

function linesOf(page: Page, selector: string): Promise<number> {
  return page.locator(selector).evaluate((node) => {
    const range = document.createRange()
    range.selectNodeContents(node)
    return new Set([...range.getClientRects()].map(({ bottom }) => Math.round(bottom))).size
  })
}

test.each([
  ['ar', 360, 700, 32],
  ['en', 320, 256, 16],
  ['ar', 640, 480, 32],
] as const)(
  'in %s at %i × %i with text of %i px a dialog keeps its words and its buttons',
  async (lang, width, height, size) => {
    const { tab, page } = await open({ lang, width, height })
    await page.evaluate((size) => {
      document.documentElement.style.fontSize = `${size}px`
    }, size)
    await tab.ask('revoke', 'key_store')
    expect(await unreachable(page)).toEqual([])
    await page.keyboard.press('Escape')
    await tab.openDetails()
    expect(await unreachable(page)).toEqual([])
    await page.keyboard.press('Escape')
    await tab.openCreate()
    await tab.submit.click()
    await tab.createDialog.locator('[aria-invalid]').first().waitFor()
    expect(await unreachable(page)).toEqual([])
  },
)

/** The words and buttons of the open dialog whose edges do not come into view when it is scrolled to them. */
function unreachable(page: Page): Promise<string[]> {
  return page.locator('dialog[open]').evaluate((dialog) => {
    const root = dialog.getRootNode() as ShadowRoot
    const isSeen = (node: Element, block: 'start' | 'end') => {
      node.scrollIntoView({ block })
      const { left, right, top, bottom } = node.getBoundingClientRect()
      const y = block === 'start' ? top + 4 : bottom - 4
      const hit = root.elementFromPoint((left + right) / 2, y)
      return hit !== null && (node.contains(hit) || (hit.contains(node) && hit !== dialog))
    }
    return [...dialog.querySelectorAll('h2, .prose p, button, .field > label')]
      .filter((node) => node.checkVisibility())
      .filter((node) => !isSeen(node, 'start') || !isSeen(node, 'end'))
      .map((node) => node.textContent?.trim() ?? '')
  })
}

test('targets on a wide page are at least 24 px', async () => {
  const { tab, page } = await open()
  await tab.createKey()
  expect(await lower(page, 24, 'button, a')).toEqual([])
})

test('forced colours keep the arrow of a choice, the dots, the edges of banners and what is chosen', async () => {
  const { tab, page } = await open({ context: { forcedColors: 'active' } })
  expect(await styleOf(page.locator('#filter'), 'appearance')).not.toBe('none')
  await tab.unfold()
  const [active, revoked] = await Promise.all(
    ['active', 'revoked'].map((status) =>
      page
        .locator(`.dot.${status}`)
        .first()
        .evaluate((node) => getComputedStyle(node, '::before').backgroundColor),
    ),
  )
  expect(active).not.toBe(revoked)
  await tab.createKey()
  expect(await styleOf(tab.banners.first(), 'border-top-style')).toBe('solid')
  await tab.openCreate()
  expect(await styleOf(page.locator('.segments'), 'outline-style')).toBe('solid')
  await page.locator('#env-test').check({ force: true })
  expect(await styleOf(page.locator('#env-test'), 'border-top-width')).toBe('2px')
})

test('who prefers more contrast gets it', async () => {
  const { page } = await open({ lang: 'en', context: { contrast: 'more' } })
  const text = await styleOf(page.locator('#root'), 'color')
  expect(await styleOf(page.locator('.muted').first(), 'color')).toBe(text)
})

test('the tab lays itself out by its own width, not the window’s', async () => {
  const { tab } = await open()
  await tab.host.evaluate((node) => {
    node.style.display = 'block'
    node.style.width = '400px'
  })
  await expect.poll(() => styleOf(tab.page.locator('tbody tr').first(), 'display')).toBe('flex')
})

test('the print has the table and no secret, nothing to press, no dialog', async () => {
  const { tab, page } = await open({ lang: 'en' })
  await tab.createKey()
  await tab.openCreate()
  await page.emulateMedia({ media: 'print' })
  expect(await page.locator('table').isVisible()).toBe(true)
  for (const part of [tab.secret, tab.createDialog, tab.newKey]) {
    expect(await part.first().isVisible()).toBe(false)
  }
})

test('a larger font of the browser makes all text larger, and nothing is cut off', async () => {
  const { tab, page } = await open({ width: 550 })
  const sizes = () =>
    Promise.all(
      ['#title', '.name-button', 'td', '.type', '#new-key'].map(async (selector) =>
        Number.parseFloat(await styleOf(page.locator(selector).first(), 'font-size')),
      ),
    )
  const before = await sizes()
  await page.evaluate(() => {
    document.documentElement.style.fontSize = '32px'
  })
  // As many of these letters fit, so the layout is the same.
  await page.setViewportSize({ width: 1100, height: 900 })
  expect(await sizes()).toEqual(before.map((size) => 2 * size))
  expect(await scrollsSideways(tab.host)).toBe(false)
  await tab.openCreate()
  expect(await scrollsSideways(tab.host)).toBe(false)
})

test('a banner comes into view with its title, not only its button', async () => {
  const { tab, page } = await open({ width: 360, height: 640 })
  await tab.createKey()
  await expect.poll(() => tab.focused()).toMatch(/^copy-/)
  const top = await tab.banners.first().evaluate((node) => node.getBoundingClientRect().top)
  expect(top).toBeGreaterThanOrEqual(-1)
  expect(await page.locator('.banner-title').isVisible()).toBe(true)
})
