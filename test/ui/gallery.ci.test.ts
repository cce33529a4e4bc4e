import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { findingsOf } from '../support/settings-tab/axe.ts'
import { ScriptedBackend } from '../support/settings-tab/backend.ts'
import { tabTests } from '../support/settings-tab/browser.ts'
import { livingKeys } from '../support/settings-tab/scenes.ts'

const { open, site } = tabTests()
const fileOf = (name: string) =>
  readFile(new URL(`../../examples/host/public/${name}`, import.meta.url), 'utf8')
const LOOKS = ['plain', 'tailwind', 'material', 'purple', 'dense', 'serif']

test.each(['light', 'dark'] as const)(
  'six looks of the tab, none like another, all readable and within the page (%s)',
  async (theme) => {
    for (const name of ['host.css', 'looks.css']) site().files.set(`/${name}`, await fileOf(name))
    const html = (await fileOf('gallery.html'))
      .replace(/"(host.css|looks.css|settings-tab.js)"/g, '"/$1"')
      .replaceAll('<api-keys-tab', '<api-keys-tab base-url="api"')
      .replace(/<link rel="icon"[^>]*>/, '')
    const at = site().add({ html, backend: new ScriptedBackend(livingKeys) })
    const { page } = await open({ at, theme, atOnce: true })
    for (const look of LOOKS) await page.locator(`.look-${look} [part~=row]`).first().waitFor()
    expect(await page.locator('api-keys-tab').count()).toBe(LOOKS.length)
    const looks = await page.locator('api-keys-tab').evaluateAll((tabs) =>
      tabs.map(({ shadowRoot }) => {
        const { backgroundColor, borderRadius } = getComputedStyle(
          shadowRoot?.querySelector('#new-key') as Element,
        )
        const height = shadowRoot?.querySelector('tbody tr')?.getBoundingClientRect().height
        return [backgroundColor, borderRadius, height].join()
      }),
    )
    expect(new Set(looks).size).toBe(LOOKS.length)
    for (const width of [1280, 360]) {
      await page.setViewportSize({ width, height: 900 })
      const sideways = () => document.documentElement.scrollWidth > innerWidth
      expect([width, await page.evaluate(sideways)]).toEqual([width, false])
    }
    expect(await findingsOf(page)).toEqual([])
    for (const look of LOOKS) {
      await page.locator(`.look-${look} #new-key`).click()
      await page.locator(`.look-${look} [data-scope]`).first().waitFor()
      expect([look, await findingsOf(page)]).toEqual([look, []])
      await page.keyboard.press('Escape')
    }
  },
)
