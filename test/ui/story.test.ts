import { expect, test } from 'vitest'
import { tabTests } from '../support/settings-tab/browser.ts'

const { open } = tabTests()

test('try', async () => {
  for (const lang of ['ar', 'en'] as const) {
    for (const theme of ['light', 'dark'] as const) {
      const { tab, page } = await open({ lang, theme })
      await page.screenshot({ path: `/tmp/shots/list-${lang}-${theme}.png` })
      await tab.openCreate()
      await page.screenshot({ path: `/tmp/shots/create-${lang}-${theme}.png` })
      await tab.fill()
      await tab.submit.click()
      await tab.banners.first().waitFor()
      await tab.ready()
      expect((await tab.secret.textContent())?.length).toBe(55)
      await page.screenshot({ path: `/tmp/shots/banner-${lang}-${theme}.png` })
      await tab.ask('rotate', 'key_store')
      await page.screenshot({ path: `/tmp/shots/rotate-${lang}-${theme}.png` })
      await tab.confirm()
      await page.locator('section.rotated').waitFor()
      await page.screenshot({ path: `/tmp/shots/rotated-${lang}-${theme}.png`, fullPage: true })
      await page.setViewportSize({ width: 360, height: 800 })
      await page.screenshot({ path: `/tmp/shots/narrow-${lang}-${theme}.png`, fullPage: true })
    }
  }
})
