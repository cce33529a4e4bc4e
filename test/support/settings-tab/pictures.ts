import { mkdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { tabTests } from './browser.ts'
import { scrollsSideways } from './measure.ts'
import { sceneOf, scenes } from './scenes.ts'
import type { TabPage } from './tab-page.ts'

/** Nothing that moves or blinks. */
const still = { animations: 'disabled', caret: 'hide' } as const
/** With SCREENSHOTS=1 pictures are taken anew. */
export const taking: boolean = process.env['SCREENSHOTS'] !== undefined

/** How a picture of another width is called. */
const widths: Readonly<Record<number, readonly string[]>> = { 360: ['narrow'], 800: ['medium'] }
const folder = fileURLToPath(new URL('../../../docs/images/', import.meta.url))
const others = fileURLToPath(new URL('../../../node_modules/.cache/screenshots/', import.meta.url))

/** The name of a scene, and how it looks. */
type Picture = readonly [name: string, lang: 'ar' | 'en', theme: 'light' | 'dark', width: number]

/** Those of the documentation. */
export const documented: readonly Picture[] = [
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
]

/** Every state in both languages, light and dark, on a phone, a tablet and a desktop. */
export const every: readonly Picture[] = Object.keys(scenes).flatMap((name) =>
  (['ar', 'en'] as const).flatMap((lang) =>
    (['light', 'dark'] as const).flatMap((theme) =>
      [360, 768, 1280].map((width) => [name, lang, theme, width] as const),
    ),
  ),
)

/**
 * Measures each scene. With SCREENSHOTS=1 its picture is taken, too: those that the documentation does not
 * show go into node_modules/.cache/screenshots.
 */
export function testPictures(chosen: readonly Picture[]): void {
  const { open } = tabTests({ fonts: true })

  test.for(chosen)('nothing is cut off or covered: %s, %s, %s, %i px', async (picture) => {
    const [name, lang, theme, width] = picture
    const scene = sceneOf(name)
    const height = width === 360 ? 780 : 720
    const opened = await open({ ...scene.options?.(), lang, theme, width, height })
    await scene.steps?.(opened)
    const { tab, page } = opened
    await page.evaluate(() => document.fonts.ready)
    expect(await scrollsSideways(tab.host)).toBe(false)
    expect(await clipped(tab)).toEqual([])
    expect(await overlapping(tab)).toEqual([])
    if (taking) await page.screenshot({ ...still, path: await pathOf(...picture) })
  })
}

/** Where a picture goes: those of the documentation into it. */
async function pathOf(...picture: Picture): Promise<string> {
  const [name, lang, theme, width] = picture
  const shown = documented.some((one) => one.every((value, at) => value === picture[at]))
  const place = shown ? folder : others
  await mkdir(place, { recursive: true })
  const suffix = shown ? (widths[width] ?? []) : [width]
  return `${place}${[...name.split(' '), lang, theme, ...suffix].join('-')}.png`
}

/** Texts that are cut off by their own box; names and cells may end with an ellipsis, and have a tooltip. */
export function clipped(tab: TabPage): Promise<string[]> {
  return tab.page.locator('button:not(.cut), .button, [part=secret], h2, p').evaluateAll((nodes) =>
    nodes
      .filter((node) => node.clientWidth > 1 && node.scrollWidth > node.clientWidth + 1)
      .map((node) => node.textContent?.trim() ?? '')
      .filter((text) => text !== ''),
  )
}

/** Controls that lie on one another, among those that can be used now. */
export function overlapping(tab: TabPage): Promise<string[]> {
  return tab.host.evaluate((element) => {
    const root = element.shadowRoot
    const layer = root?.querySelector('dialog[open], :popover-open') ?? root
    const scrolledAway = (node: Element) => {
      const box = node.getBoundingClientRect()
      const frame = node.closest('.dialog-body')?.getBoundingClientRect()
      return frame !== undefined && (box.bottom > frame.bottom || box.top < frame.top)
    }
    const controls = [...(layer?.querySelectorAll('button, a, input') ?? [])]
      .filter((node) => !scrolledAway(node))
      .map((node) => ({
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
