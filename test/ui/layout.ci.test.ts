import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { many, ScriptedBackend } from '../support/settings-tab/backend.ts'
import { tabTests } from '../support/settings-tab/browser.ts'
import { ago, ahead, keyOf } from '../support/settings-tab/keys.ts'
import { scrollsSideways, styleOf } from '../support/settings-tab/measure.ts'

const { open } = tabTests({ fonts: true })
const narrow = [360, 320]

test.each(narrow)(
  '44: at %i px every field is there and nothing scrolls sideways',
  async (width) => {
    for (const lang of ['ar', 'en'] as const) {
      const { tab, page } = await open({ lang, width })
      expect(await scrollsSideways(tab.host)).toBe(false)
      const row = tab.row('key_store')
      const shown = await row.innerText()
      for (const text of ['خادم المتجر', 'نورة العتيبي', 'svc_live_a1b…', '1,284,302']) {
        expect(shown).toContain(text)
      }
      // The status lies in two places of the card, so its cell has no box of its own.
      for (const cell of await row.locator('td:not(.c-status), .badge').all())
        expect(await cell.isVisible()).toBe(true)
      expect(await page.getByRole('table').count()).toBe(1)
      expect(await page.getByRole('columnheader').count()).toBe(7)
      expect(await row.getByRole('rowheader').count()).toBe(1)
      expect(await row.getByRole('cell').count()).toBe(6)
      // The menu of a key opens the details too: its name is one more way to them.
      for (const height of await heightsOf(page, '#root button:not(.fold, .name-button)'))
        expect(height).toBeGreaterThanOrEqual(44)
    }
  },
)

test.each(narrow)('at %i px the note of a reached limit fits', async (width) => {
  for (const lang of ['ar', 'en'] as const) {
    const backend = Object.assign(new ScriptedBackend(), { activeKeyLimit: 2 })
    const { tab } = await open({ lang, width, backend })
    await tab.page.locator('[data-note=limit]').waitFor()
    expect(await scrollsSideways(tab.host)).toBe(false)
    expect((await tab.page.locator('.allowance').boundingBox())?.height).toBeLessThan(220)
  }
})

test.each(narrow)('44: at %i px the dialogs fit, with boxes large enough to hit', async (width) => {
  const { tab, page } = await open({ width, height: 640 })
  await tab.createKey()
  expect(await scrollsSideways(tab.host)).toBe(false)
  await tab.openCreate()
  const box = await tab.createDialog.boundingBox()
  expect(box?.width).toBeLessThanOrEqual(width - 24)
  expect(box?.height).toBeLessThanOrEqual(640 - 24)
  for (const height of await heightsOf(page, 'dialog[open] label.box'))
    expect(height).toBeGreaterThanOrEqual(36)
  for (const height of await heightsOf(page, 'dialog[open] button'))
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
    expect([lang, await linesOf('.call .strong-label')]).toEqual([lang, 1])
  }
})

test.each([360, 1100])('at %i px no date of a status is broken', async (width) => {
  const keys = [
    keyOf({ id: 'key_a', status: 'retiring', retiresAt: ahead(1), replacedBy: 'key_b' }),
    keyOf({ id: 'key_b', status: 'revoked', revokedAt: ago.days(3), replaces: 'key_a' }),
    keyOf({ id: 'key_c', expiresAt: ahead(300) }),
    keyOf({ id: 'key_d', status: 'expired', expiresAt: ago.days(40) }),
  ]
  for (const lang of ['ar', 'en'] as const) {
    const { page } = await open({ lang, width, backend: new ScriptedBackend(keys) })
    for (const px of [width, width - 30, width - 60]) {
      await page.setViewportSize({ width: px, height: 900 })
      const dates = await page.locator('.since bdi').evaluateAll((nodes) =>
        nodes.map((node) => {
          const lines = [...node.getClientRects()].map(({ bottom }) => Math.round(bottom))
          return new Set(lines).size
        }),
      )
      expect([lang, px, dates]).toEqual([lang, px, [1, 1, 1, 1]])
    }
    expect(await scrollsSideways(page.locator('api-keys-tab'))).toBe(false)
  }
})

test.each(narrow)('at %i px the exact date of the last use fits', async (width) => {
  const backend = new ScriptedBackend([keyOf({ id: 'key_store', lastUsedAt: ago.days(52) })])
  for (const lang of ['ar', 'en'] as const) {
    const { tab } = await open({ lang, width, backend })
    await tab.row('key_store').locator('time').focus()
    expect(await scrollsSideways(tab.host)).toBe(false)
  }
})

const tight = [
  ['ar', 360, 700, 32],
  ['en', 320, 256, 16],
  ['ar', 640, 480, 32],
] as const

test.each(tight)(
  '44: in %s at %i × %i with text of %i px a dialog keeps its words and its buttons',
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
      .filter((node) => !isSeen(node, 'start') || !isSeen(node, 'end'))
      .map((node) => node.textContent?.trim() ?? '')
  })
}

test('44: the drawer scrolls to its end', async () => {
  const { tab, page } = await open({ height: 480 })
  await tab.choose('key_store', 'details')
  const body = page.locator('#details .dialog-body')
  await body.waitFor()
  expect(await styleOf(body, 'overflow-y')).toBe('auto')
  expect(await body.evaluate((node) => node.scrollHeight > node.clientHeight)).toBe(true)
})

test.each([360, 768])(
  'at %i px the list stays where it is when its filters come',
  async (width) => {
    for (const lang of ['ar', 'en'] as const) {
      const backend = many(9)
      const { page } = await open({ lang, width, backend, before: holdIdle })
      await page.evaluate(() => document.fonts.ready)
      const top = async () => (await page.locator('table').boundingBox())?.y ?? 0
      const before = await top()
      expect(await page.locator('#search').count()).toBe(0)
      await page.evaluate(() => (window as unknown as { idle(): void }).idle())
      await page.locator('#search').waitFor()
      expect(Math.abs((await top()) - before)).toBeLessThanOrEqual(8)
    }
  },
)

/** The page has no time for the later file before the test calls `idle`. */
function holdIdle(): void {
  window.requestIdleCallback = (run) => {
    Object.assign(window, { idle: run })
    return 0
  }
}

test('44: targets on a wide page are at least 24 px', async () => {
  const { tab, page } = await open()
  await tab.createKey()
  for (const height of await heightsOf(page, '#root :is(button, a)'))
    expect(height).toBeGreaterThanOrEqual(24)
})

test('44: forced colours keep the shapes', async () => {
  const { tab } = await open({ context: { forcedColors: 'active' } })
  await tab.createKey()
  expect(await styleOf(tab.banners.first(), 'border-inline-start-width')).toBe('6px')
  for (const shape of ['.badge', '[part=allowance-meter]']) {
    expect(await styleOf(tab.page.locator(shape).first(), 'border-top-style')).toBe('solid')
  }
  const page = await styleOf(tab.page.locator('body'), 'background-color')
  expect(await styleOf(tab.page.locator('.track'), 'fill')).toBe(page)
  expect(await styleOf(tab.page.locator('.fill'), 'fill')).not.toBe(page)
})

test('44: forced colours draw all of the edge of a badge', async () => {
  const { tab, page } = await open({ lang: 'en', context: { forcedColors: 'active' } })
  for (const badge of await tab.row('key_store').locator('.badge').all()) {
    const { x = 0, y = 0, width = 0 } = (await badge.boundingBox()) ?? {}
    const clip = { x: Math.round(x + width / 2) - 4, y: Math.round(y), width: 8, height: 1 }
    const edge = await page.screenshot({ clip })
    const inside = await page.screenshot({ clip: { ...clip, y: clip.y + 2 } })
    expect(edge.equals(inside)).toBe(false)
  }
})

test.each(['ar', 'en'] as const)(
  'at 360 px only the time that is recommended takes two lines (%s)',
  async (lang) => {
    const { tab } = await open({ lang, width: 360 })
    await tab.ask('rotate', 'key_store')
    const times = tab.confirmDialog.locator('.overlaps label span')
    const heights = await times.evaluateAll((all) => all.map((one) => one.clientHeight))
    expect(heights).toHaveLength(4)
    expect(heights.filter((height) => height > 30).length).toBeLessThanOrEqual(1)
  },
)

test('nothing shows above the count of chosen scopes that stays in view', async () => {
  const { tab, page } = await open({ lang: 'en', height: 700 })
  await tab.openCreate()
  await page.locator('[data-scope]').last().scrollIntoViewIfNeeded()
  const body = await tab.createDialog.locator('.dialog-body').boundingBox()
  const count = await page.locator('[data-note=count]').boundingBox()
  expect(Math.abs((count?.y ?? 0) - (body?.y ?? 0))).toBeLessThanOrEqual(1)
})

test('the tab lays itself out by its own width, not the window’s', async () => {
  const { tab } = await open({
    main: '<div id="box"><api-keys-tab base-url="api"></api-keys-tab></div>',
  })
  await tab.page.locator('#box').evaluate((node) => {
    node.style.width = '400px'
  })
  await expect.poll(() => styleOf(tab.page.locator('table'), 'display')).toBe('block')
})

function heightsOf(page: Page, selector: string): Promise<number[]> {
  return page
    .locator(selector)
    .evaluateAll((nodes) =>
      nodes.map((node) => node.getBoundingClientRect().height).filter((height) => height > 0),
    )
}
