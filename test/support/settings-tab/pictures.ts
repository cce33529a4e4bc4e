import { readdirSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { isLong } from '../runs.ts'
import { findingsOf } from './axe.ts'
import { tabTests } from './browser.ts'
import { scrollsSideways } from './measure.ts'
import { openScene, scenes } from './scenes.ts'
import type { TabPage } from './tab-page.ts'

/** Nothing that moves or blinks. */
const still = { animations: 'disabled', caret: 'hide' } as const
/** With SCREENSHOTS=1 pictures are taken anew. */
export const taking: boolean = process.env['SCREENSHOTS'] !== undefined

const folder = fileURLToPath(new URL('../../../docs/images/', import.meta.url))
const others = fileURLToPath(new URL('../../../node_modules/.cache/screenshots/', import.meta.url))

/** The name of a scene, and how it looks. */
type Picture = readonly [name: string, lang: 'ar' | 'en', theme: 'light' | 'dark', width: number]

/** Those of the documentation, as their files are named. */
const documented: readonly Picture[] = readdirSync(folder).flatMap((file) => {
  const found = /^(.+)-(ar|en)-(light|dark)(-narrow|-medium)?\.png$/.exec(file)
  if (found === null) return []
  const width = { '-narrow': 360, '-medium': 800, '': 1100 }[found[4] ?? '']
  return [[found[1]?.replaceAll('-', ' '), found[2], found[3], width] as unknown as Picture]
})

const names = Object.keys(scenes)

/** Every state in both languages, light and dark, on a phone, a tablet and a desktop. */
const every: readonly Picture[] = names.flatMap((name) =>
  (['ar', 'en'] as const).flatMap((lang) =>
    (['light', 'dark'] as const).flatMap((theme) =>
      [360, 768, 1280].map((width) => [name, lang, theme, width] as const),
    ),
  ),
)

/** Every state once: the languages, widths and themes take them by turns. */
export const byTurns: readonly Picture[] = names.map((name, at) =>
  at % 2 === 0 ? [name, 'ar', 'light', 360] : [name, 'en', 'dark', 1100],
)

/** What a usual run looks at, or a long one and one that takes pictures. */
export const chosen: readonly Picture[] = [...documented, ...(taking || isLong ? every : byTurns)]

/**
 * Looks at scenes: what they say, what axe finds, what is cut off or covered. With SCREENSHOTS=1 pictures are
 * taken, too: those that the documentation does not show go into node_modules/.cache/screenshots.
 */
export function testPictures(
  pictures: readonly Picture[],
  ...browser: Parameters<typeof tabTests>
) {
  const { open } = tabTests({ fonts: true, ...browser[0] }, browser[1])

  test.for(pictures)(
    'nothing to find, nothing cut off or covered: %s, %s, %s, %i px',
    async (picture) => {
      const [name, lang, theme, width] = picture
      const height = width === 360 ? 780 : 720
      const { tab, page } = await openScene(open, name, { lang, theme, width, height })
      await page.evaluate(() => document.fonts.ready)
      expect(await scrollsSideways(tab.host)).toBe(false)
      expect(await clipped(tab)).toEqual([])
      expect(await overlapping(tab)).toEqual([])
      if (browser.length > 0) return
      if (taking) await page.screenshot({ ...still, path: await pathOf(...picture) })
      expect(await findingsOf(page)).toEqual([])
    },
  )
}

/** Where a picture goes: those of the documentation into it. */
async function pathOf(...picture: Picture): Promise<string> {
  const [name, lang, theme, width] = picture
  const isShown = documented.some((one) => one.join() === picture.join())
  const place = isShown ? folder : others
  await mkdir(place, { recursive: true })
  const suffix = isShown ? { 360: ['narrow'], 800: ['medium'] }[width] : [width]
  return `${place}${[...name.split(' '), lang, theme, ...(suffix ?? [])].join('-')}.png`
}

/** Texts that are cut off by their own box; names and cells may end with an ellipsis, and have a tooltip. */
function clipped(tab: TabPage): Promise<string[]> {
  return tab.page.locator('button:not(.cut), .button, [part=secret], h2, p').evaluateAll((nodes) =>
    nodes
      .filter((node) => node.clientWidth > 1 && node.scrollWidth > node.clientWidth + 1)
      .map((node) => node.textContent?.trim() ?? '')
      .filter((text) => text !== ''),
  )
}

/** Controls that lie on one another, among those that can be used now. */
function overlapping(tab: TabPage): Promise<string[]> {
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
