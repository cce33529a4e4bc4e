import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { isLong } from '../runs.ts'
import { findingsOf } from './axe.ts'
import { tabTests } from './browser.ts'
import { scrollsSideways } from './measure.ts'
import { sceneOf, scenes } from './scenes.ts'

type Look = readonly [width: number, theme: 'light' | 'dark']

const EVERY: readonly Look[] = [
  [1100, 'light'],
  [1100, 'dark'],
  [360, 'light'],
  [360, 'dark'],
]

/** Every look in `npm run test:long`; otherwise each width and each theme once. */
const LOOKS: Readonly<Record<'ar' | 'en', readonly Look[]>> = isLong
  ? { ar: EVERY, en: EVERY }
  : {
      ar: [[360, 'light']],
      en: [[1100, 'dark']],
    }

/** Every scene in `npm run test:long`; otherwise the languages take them by turns. */
function scenesIn(lang: 'ar' | 'en'): readonly string[] {
  const turn = lang === 'ar' ? 0 : 1
  return Object.keys(scenes).filter((_, index) => isLong || index % 2 === turn)
}

/** axe over states of the tab in one language. Default: the states that are its turn. */
export function testAccessibleScenes(lang: 'ar' | 'en', names = scenesIn(lang)): void {
  const { open } = tabTests()
  // axe is put into the page as inline script, which the strict policy forbids.
  const context = { bypassCSP: true }

  test.each(names)(`nothing to find in ${lang}: %s`, async (name) => {
    const scene = sceneOf(name)
    const opened = await open({ ...scene.options?.(), lang, context })
    await scene.steps?.(opened)
    const { page, tab } = opened
    for (const [width, theme] of LOOKS[lang]) {
      await page.emulateMedia({ colorScheme: theme })
      await page.setViewportSize({ width, height: 900 })
      await nextFrame(page)
      const findings = await findingsOf(page)
      expect({ theme, width, findings }).toEqual({ theme, width, findings: [] })
      expect(await scrollsSideways(tab.host)).toBe(false)
    }
  })

  test(`what is planted is found (${lang})`, async () => {
    const { tab, page } = await open({ lang, context })
    await tab.host.evaluate((element) => element.style.setProperty('--apikeys-muted', '#bbb'))
    await nextFrame(page)
    expect((await findingsOf(page)).join()).toContain('color-contrast')
  })
}

function nextFrame(page: Page): Promise<unknown> {
  return page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)))
}
