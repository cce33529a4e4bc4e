import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { isLong } from '../runs.ts'
import { findingsOf } from './axe.ts'
import { tabTests } from './browser.ts'
import { scrollsSideways } from './measure.ts'
import { scenes } from './scenes.ts'

const WIDE_AND_LIGHT = [1100, 'light'] as const
const NARROW_AND_DARK = [360, 'dark'] as const

/** Every theme and width in `npm run test:long`; otherwise each of them once. */
const LOOKS = isLong
  ? ([WIDE_AND_LIGHT, NARROW_AND_DARK, [1100, 'dark'], [360, 'light']] as const)
  : [WIDE_AND_LIGHT, NARROW_AND_DARK]

/** axe over every state of the tab in one language, light and dark, wide and narrow. */
export function testAccessibleScenes(lang: 'ar' | 'en'): void {
  const { open } = tabTests()
  // axe is put into the page as inline script, which the strict policy forbids.
  const context = { bypassCSP: true }

  test.each(Object.entries(scenes))(`42: nothing to find in ${lang}: %s`, async (_name, scene) => {
    const opened = await open({ ...scene.options?.(), lang, context })
    await scene.steps?.(opened)
    const { page, tab } = opened
    for (const [width, theme] of LOOKS) {
      await page.emulateMedia({ colorScheme: theme })
      await page.setViewportSize({ width, height: 900 })
      await nextFrame(page)
      const findings = await findingsOf(page)
      expect({ theme, width, findings }).toEqual({ theme, width, findings: [] })
      expect(await scrollsSideways(tab.host)).toBe(false)
    }
  })

  test(`42: what is planted is found (${lang})`, async () => {
    const { tab, page } = await open({ lang, context })
    await tab.host.evaluate((element) => element.style.setProperty('--apikeys-muted', '#bbb'))
    await nextFrame(page)
    expect((await findingsOf(page)).join()).toContain('color-contrast')
  })
}

function nextFrame(page: Page): Promise<unknown> {
  return page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)))
}
