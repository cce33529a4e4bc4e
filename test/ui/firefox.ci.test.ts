import { mkdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { firefoxContext, hasFirefox, launchFirefox } from '../support/other-browsers.ts'
import { tabTests } from '../support/settings-tab/browser.ts'
import { scrollsSideways } from '../support/settings-tab/measure.ts'
import { clipped, overlapping } from '../support/settings-tab/pictures.ts'
import { scenes } from '../support/settings-tab/scenes.ts'

const folder = fileURLToPath(
  new URL('../../node_modules/.cache/screenshots/firefox/', import.meta.url),
)
const pictured = ['list', 'create', 'created']
const stories = Object.entries(scenes).map(
  ([name, scene], index) => [name, (['ar', 'en'] as const)[index % 2] ?? 'ar', scene] as const,
)

describe.skipIf(!hasFirefox)('Firefox', () => {
  const { open } = tabTests({ fonts: true, context: firefoxContext }, launchFirefox)

  test.each(stories)('%s, %s', async (name, lang, scene) => {
    const opened = await open({ ...scene.options?.(), lang, width: 1100, height: 720 })
    await scene.steps?.(opened)
    const { page, tab } = opened
    for (const width of [1100, 360]) {
      await page.setViewportSize({ width, height: 720 })
      expect([width, await scrollsSideways(tab.host)]).toEqual([width, false])
      expect([width, await clipped(tab)]).toEqual([width, []])
      if (!pictured.includes(name)) continue
      await mkdir(folder, { recursive: true })
      // A hidden caret would be a style of the page, which the policy refuses.
      await page.screenshot({ path: `${folder}${name}-${lang}-${width}.png`, caret: 'initial' })
    }
    expect(await overlapping(tab)).toEqual([])
  })
})
