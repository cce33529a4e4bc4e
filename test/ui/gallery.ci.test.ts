import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { manifestText } from '../../adapters/ui/build/manifest.ts'
import { findingsOf } from '../support/settings-tab/axe.ts'
import { ScriptedBackend } from '../support/settings-tab/backend.ts'
import { tabTests } from '../support/settings-tab/browser.ts'
import { livingKeys } from '../support/settings-tab/scenes.ts'

const { browser, site } = tabTests()
const root = new URL('../../', import.meta.url)
const fileOf = (name: string) => readFile(new URL(name, root), 'utf8')
const hostFile = (name: string) => fileOf(`examples/host/public/${name}`)
const LOOKS = ['plain', 'tailwind', 'material', 'purple', 'dense', 'serif']

async function openGallery(colorScheme: 'light' | 'dark'): Promise<Page> {
  for (const name of ['host.css', 'looks.css']) site().style(`/${name}`, await hostFile(name))
  const html = (await hostFile('gallery.html'))
    .replace(/"(host.css|looks.css|settings-tab.js)"/g, '"/$1"')
    .replaceAll('<api-keys-tab', '<api-keys-tab base-url="api"')
  // axe is put into the page as inline script, which the strict policy forbids.
  const page = await browser().newPage({ colorScheme, reducedMotion: 'reduce', bypassCSP: true })
  await page.goto(site().add({ html, backend: new ScriptedBackend(livingKeys) }))
  for (const look of LOOKS) await page.locator(`.look-${look} [part~=row]`).first().waitFor()
  return page
}

test.each(['light', 'dark'] as const)(
  'six looks of the tab, none like another, all readable and within the page (%s)',
  async (colorScheme) => {
    const page = await openGallery(colorScheme)
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
    await page.close()
  },
)

test('the looks are made of custom properties and parts that the tab has', async () => {
  const manifest = JSON.parse(await manifestText())
  const [{ cssParts, cssProperties }] = manifest.modules.flatMap(
    (module: { declarations: { tagName?: string }[] }) =>
      module.declarations.filter(({ tagName }) => tagName === 'api-keys-tab'),
  )
  const known = [...cssParts, ...cssProperties].map(({ name }) => name)
  const rules = await hostFile('looks.css')
  const used = [...rules.matchAll(/(?<=::part\()[\w-]+|--apikeys-[\w-]+/g)].map(String)
  expect(used.length).toBeGreaterThan(50)
  expect([...new Set(used)].filter((name) => !known.includes(name))).toEqual([])
})
