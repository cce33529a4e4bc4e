import { createElement } from 'react'
import { renderToString } from 'react-dom/server'
import { expect, test } from 'vitest'
import { ApiKeysTab } from '../../adapters/react/index.ts'
import { tabTests } from '../support/settings-tab/browser.ts'
import { reactBundle } from '../support/settings-tab/react.ts'

const { open, site } = tabTests()

test('a server prints the tag with its attributes and children, and nothing else', () => {
  expect(globalThis.HTMLElement).toBeUndefined()
  const props = { lang: 'en', className: 'wide', headingLevel: 3, onApiKeyCreated: () => {} }
  const child = createElement('p', { slot: 'banner' }, 'foot')
  expect(renderToString(createElement(ApiKeysTab, props, child))).toBe(
    '<api-keys-tab lang="en" class="wide" defer-hydration=""><p slot="banner">foot</p></api-keys-tab>',
  )
})

const hydrate = `
  import { createElement } from 'react'
  import { hydrateRoot } from 'react-dom/client'
  import { SettingsPage } from './settings-page.tsx'
  addEventListener('hydrate', () => {
    const page = createElement(SettingsPage, { csrfToken: 't' })
    hydrateRoot(document.querySelector('#app'), page, {
      onRecoverableError: (error) => console.error(error),
    })
  })`

test('a browser takes the example over without a warning, and calls nothing before', async () => {
  // The routes of a test page are below its own address.
  const script = (await reactBundle(hydrate)).replaceAll('/api/settings/api-keys', 'api')
  site().files.set('/hydrate.js', script)
  const { page, tab, backend } = await open({
    main: `<div id="app"><section><api-keys-tab lang="ar" defer-hydration=""></api-keys-tab><button type="button">Refresh</button><output></output></section></div>`,
    scripts: ['/hydrate.js'],
    atOnce: true,
  })
  const given = await tab.host.elementHandle()
  await given?.evaluate(async (element: HTMLElementTagNameMap['api-keys-tab']) => {
    await customElements.whenDefined('api-keys-tab')
    await element.updateComplete
  })
  expect(backend.seen).toEqual([])
  expect(await tab.newKey.count()).toBe(0)
  await page.evaluate(() => void dispatchEvent(new Event('hydrate')))
  await tab.ready()
  await tab.createKey({ name: 'From React' })
  await expect.poll(() => page.locator('output').textContent()).toBe('created From React')
  expect(await given?.evaluate((element) => element.isConnected)).toBe(true)
  const tokens = backend.seen.map(({ headers }) => headers['x-csrf-token'])
  expect(new Set(tokens)).toEqual(new Set(['t']))
  const loads = backend.requests('GET /keys').length
  await page.getByRole('button', { name: 'Refresh', exact: true }).click()
  await expect.poll(() => backend.requests('GET /keys').length).toBeGreaterThan(loads)
})
