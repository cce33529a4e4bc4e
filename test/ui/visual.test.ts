import { mkdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { tabTests } from '../support/settings-tab/browser.ts'
import { scrollsSideways } from '../support/settings-tab/measure.ts'
import { scenes } from '../support/settings-tab/scenes.ts'
import type { TabPage } from '../support/settings-tab/tab-page.ts'

const { open } = tabTests()

/** How a picture of another width is called. */
const widths: Readonly<Record<number, readonly string[]>> = { 360: ['narrow'], 800: ['medium'] }
const folder = fileURLToPath(new URL('../../docs/images/', import.meta.url))

const pictures = [
  ['list', 'ar', 'light', 1100],
  ['list', 'en', 'dark', 1100],
  ['lifecycle', 'ar', 'light', 1100],
  ['lifecycle', 'en', 'dark', 800],
  ['lifecycle', 'ar', 'light', 360],
  ['menu', 'ar', 'light', 1100],
  ['details', 'en', 'dark', 1100],
  ['details', 'ar', 'light', 360],
  ['edit', 'ar', 'light', 1100],
  ['edit overtaken', 'en', 'light', 1100],
  ['first call', 'en', 'light', 1100],
  ['first call', 'ar', 'dark', 360],
  ['rotate', 'ar', 'light', 1100],
  ['rotate', 'en', 'dark', 360],
  ['pause', 'en', 'light', 1100],
  ['empty', 'ar', 'light', 1100],
  ['create', 'ar', 'light', 1100],
  ['create', 'en', 'light', 1100],
  ['created and rotated', 'ar', 'light', 1100],
  ['created and rotated', 'en', 'dark', 1100],
  ['revoke', 'ar', 'light', 1100],
  ['locked', 'en', 'light', 1100],
  ['limit reached', 'ar', 'dark', 1100],
  ['error', 'en', 'light', 1100],
  ['list', 'ar', 'light', 360],
  ['created', 'en', 'dark', 360],
] as const

/*
 * Pictures differ with the fonts of a machine, so none is compared: each scene is measured instead.
 * With SCREENSHOTS=1 the pictures of the documentation are taken on the way.
 */
test.each(pictures)('46: %s, %s, %s, %i px', async (name, lang, theme, width) => {
  const scene = scenes[name]
  const height = width === 360 ? 780 : 720
  const opened = await open({ ...scene?.options?.(), lang, theme, width, height })
  await scene?.steps?.(opened)
  const { tab, page } = opened
  await page.evaluate(() => document.fonts.ready)
  expect(await scrollsSideways(tab.host)).toBe(false)
  expect(await clipped(tab)).toEqual([])
  expect(await overlapping(tab)).toEqual([])
  // The empty list has its New key in the middle.
  if (width > 720 && name !== 'empty')
    expect(await startsAt(tab)).toBe(lang === 'ar' ? 'right' : 'left')
  if (process.env['SCREENSHOTS']) {
    await mkdir(folder, { recursive: true })
    const file = [...name.split(' '), lang, theme, ...(widths[width] ?? [])].join('-')
    await page.screenshot({ path: `${folder}${file}.png`, animations: 'disabled', caret: 'hide' })
  }
})

/** Texts that are cut off by their own box. */
function clipped(tab: TabPage): Promise<string[]> {
  return tab.page
    .locator('button, .button, .badge, [part=secret], h2, th, td, p')
    .evaluateAll((nodes) =>
      nodes
        .filter((node) => node.clientWidth > 1 && node.scrollWidth > node.clientWidth + 1)
        .map((node) => node.textContent ?? ''),
    )
}

/** Controls that lie on one another, among those that can be used now. */
function overlapping(tab: TabPage): Promise<string[]> {
  return tab.host.evaluate((element) => {
    const root = element.shadowRoot
    const layer = root?.querySelector('dialog[open], :popover-open') ?? root
    const controls = [...(layer?.querySelectorAll('button, a, input') ?? [])].map((node) => ({
      name: node.textContent?.trim() || node.id,
      box: node.getBoundingClientRect(),
    }))
    const meet = (one: DOMRect, other: DOMRect) =>
      one.left < other.right - 1 &&
      other.left < one.right - 1 &&
      one.top < other.bottom - 1 &&
      other.top < one.bottom - 1
    return controls.flatMap((one, at) =>
      controls
        .slice(at + 1)
        .filter((other) => one.box.width > 0 && other.box.width > 0 && meet(one.box, other.box))
        .map((other) => `${one.name} / ${other.name}`),
    )
  })
}

/** On which side of New key the title is. */
async function startsAt(tab: TabPage): Promise<string> {
  const title = await tab.page.locator('#title').boundingBox()
  const button = await tab.newKey.boundingBox()
  return (title?.x ?? 0) < (button?.x ?? 0) ? 'left' : 'right'
}
