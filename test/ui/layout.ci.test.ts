import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { tabTests } from '../support/settings-tab/browser.ts'
import { scrollsSideways, styleOf } from '../support/settings-tab/measure.ts'

const { open } = tabTests({ fonts: true })
const narrow = [360, 320]

test.each(narrow)('at %i px every field is there and nothing scrolls sideways', async (width) => {
  for (const lang of ['ar', 'en'] as const) {
    const { tab, page } = await open({ lang, width })
    expect(await scrollsSideways(tab.host)).toBe(false)
    const row = tab.row('key_store')
    const shown = await row.innerText()
    for (const text of ['خادم المتجر', 'svc_live_a1b…', '1,284,302']) {
      expect(shown).toContain(text)
    }
    for (const cell of await row.locator('td').all()) expect(await cell.isVisible()).toBe(true)
    expect(await page.getByRole('table').count()).toBe(1)
    expect(await page.getByRole('columnheader').count()).toBe(7)
    expect(await row.getByRole('rowheader').count()).toBe(1)
    expect(await row.getByRole('cell').count()).toBe(6)
    // The menu of a key opens the details too: its name is one more way to them.
    for (const height of await heightsOf(page, '#root button:not(.fold, .name-button, .link)'))
      expect(height).toBeGreaterThanOrEqual(44)
  }
})

test.each(narrow)('at %i px the dialogs fit, with boxes large enough to hit', async (width) => {
  const { tab, page } = await open({ width, height: 640 })
  await tab.createKey()
  expect(await scrollsSideways(tab.host)).toBe(false)
  await tab.openCreate()
  const box = await tab.createDialog.boundingBox()
  expect(box?.width).toBeLessThanOrEqual(width - 24)
  expect(box?.height).toBeLessThanOrEqual(640 - 24)
  for (const height of await heightsOf(page, 'dialog[open] label.box'))
    expect(height).toBeGreaterThanOrEqual(36)
  for (const height of await heightsOf(page, 'dialog[open] button:not(.link)'))
    expect(height).toBeGreaterThanOrEqual(44)
  expect(
    await tab.createDialog
      .locator('.dialog-body')
      .evaluate((node) => node.scrollWidth > node.clientWidth),
  ).toBe(false)
  // The last box is brought above the footer when it is focused.
  const last = page.locator('[data-scope="webhooks.write"]')
  await last.focus()
  const [lastBox, foot] = await Promise.all([
    last.boundingBox(),
    page.locator('dialog[open] .dialog-foot').boundingBox(),
  ])
  expect((lastBox?.y ?? 0) + (lastBox?.height ?? 0)).toBeLessThanOrEqual(foot?.y ?? 0)
})

test('at 360 px no title and no button is squeezed to a word on a line', async () => {
  for (const lang of ['ar', 'en'] as const) {
    const { tab, page } = await open({
      lang,
      width: 360,
      attributes: 'call-url="https://a.example"',
    })
    const linesOf = (selector: string) =>
      page.locator(selector).evaluate((node) => {
        const range = document.createRange()
        range.selectNodeContents(node)
        return new Set([...range.getClientRects()].map(({ bottom }) => Math.round(bottom))).size
      })
    await tab.ask('revoke', 'key_store')
    expect([lang, await linesOf('.instead'), await linesOf('[data-act=confirm]')]).toEqual([
      lang,
      1,
      1,
    ])
    await page.keyboard.press('Escape')
    await tab.createKey()
    expect([lang, await linesOf('[data-act=show-call]')]).toEqual([lang, 1])
  }
})

const tight = [
  ['ar', 360, 700, 32],
  ['en', 320, 256, 16],
  ['ar', 640, 480, 32],
] as const

test.each(tight)(
  'in %s at %i × %i with text of %i px a dialog keeps its words and its buttons',
  async (lang, width, height, size) => {
    const { tab, page } = await open({ lang, width, height })
    await page.evaluate((size) => {
      document.documentElement.style.fontSize = `${size}px`
    }, size)
    await tab.ask('revoke', 'key_store')
    expect(await isShown(tab.confirmDialog.locator('#confirm-title'))).toBe(true)
    expect(await unreachable(page)).toEqual([])
    await page.keyboard.press('Escape')
    await tab.openCreate()
    await tab.submit.click()
    await tab.createDialog.locator('[aria-invalid]').first().waitFor()
    expect(await unreachable(page)).toEqual([])
  },
)

/** Whether the middle of an element is where the user sees it. */
function isShown(element: Locator): Promise<boolean> {
  return element.evaluate((node) => {
    const { left, right, top, bottom } = node.getBoundingClientRect()
    const root = node.getRootNode() as ShadowRoot
    return node.contains(root.elementFromPoint((left + right) / 2, (top + bottom) / 2))
  })
}

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

test('the drawer scrolls to its end', async () => {
  const { tab, page } = await open({ height: 480 })
  await tab.choose('key_store', 'details')
  const body = page.locator('#details .dialog-body')
  await body.waitFor()
  expect(await styleOf(body, 'overflow-y')).toBe('auto')
  expect(await body.evaluate((node) => node.scrollHeight > node.clientHeight)).toBe(true)
})

test('targets on a wide page are at least 24 px', async () => {
  const { tab, page } = await open()
  await tab.createKey()
  for (const height of await heightsOf(page, '#root :is(button, a)'))
    expect(height).toBeGreaterThanOrEqual(24)
})

test('forced colours keep the dots apart, the edges of banners and what is chosen', async () => {
  const { tab, page } = await open({ context: { forcedColors: 'active' } })
  await tab.createKey()
  expect(await styleOf(tab.banners.first(), 'border-top-style')).toBe('solid')
  await tab.openCreate()
  await page.locator('#env-test').check({ force: true })
  expect(await styleOf(page.locator('#env-test'), 'border-top-width')).toBe('2px')
  const dot = (status: string) =>
    page
      .locator(`.dot.${status}`)
      .first()
      .evaluate((node) => getComputedStyle(node, '::before').backgroundColor)
  await page.keyboard.press('Escape')
  await tab.unfold()
  expect(await dot('active')).not.toBe(await dot('revoked'))
})

test('the tab lays itself out by its own width, not the window’s', async () => {
  const { tab } = await open({
    main: '<div id="box"><api-keys-tab base-url="api"></api-keys-tab></div>',
  })
  await tab.page.locator('#box').evaluate((node) => {
    node.style.width = '400px'
  })
  await expect.poll(() => styleOf(tab.page.locator('tbody tr').first(), 'display')).toBe('flex')
})

function heightsOf(page: Page, selector: string): Promise<number[]> {
  return page
    .locator(selector)
    .evaluateAll((nodes) =>
      nodes.map((node) => node.getBoundingClientRect().height).filter((height) => height > 0),
    )
}
