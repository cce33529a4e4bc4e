import { createElement } from 'react'
import { renderToString } from 'react-dom/server'
import { expect, test } from 'vitest'
import { ApiKeysTab, type ApiKeysTabProps } from '../../adapters/react/index.ts'
import { tabTests } from '../support/settings-tab/browser.ts'
import { reactBundle } from '../support/settings-tab/react.ts'

const { open, site } = tabTests()

const props: ApiKeysTabProps = {
  lang: 'en',
  className: 'wide',
  baseUrl: 'api',
  headingLevel: 3,
  getHeaders: () => ({ 'X-CSRF-Token': 't' }),
  onApiKeyCreated: () => {},
  children: createElement('p', { slot: 'banner' }, 'foot'),
}

test('a server prints the tag with its attributes and children, and nothing else', () => {
  expect(globalThis.HTMLElement).toBeUndefined()
  expect(renderToString(createElement(ApiKeysTab, props))).toBe(
    '<api-keys-tab lang="en" class="wide" defer-hydration=""><p slot="banner">foot</p></api-keys-tab>',
  )
})

test('a browser takes the tag over without a warning, and calls nothing before', async () => {
  site().script('/hydrate.js', await reactBundle(hydrate, 'development'))
  const html = renderToString(createElement(ApiKeysTab, props))
  const { page, tab, backend } = await open({
    lang: 'en',
    main: `<div id="app">${html}</div><output></output>`,
    scripts: ['/hydrate.js'],
    atOnce: true,
  })
  await page.evaluate(() => customElements.whenDefined('api-keys-tab'))
  const given = await tab.host.elementHandle()
  await page.waitForTimeout(200)
  expect(backend.seen).toEqual([])
  expect(await tab.newKey.count()).toBe(0)
  await page.evaluate(() => window.dispatchEvent(new Event('hydrate')))
  await tab.ready()
  expect(await page.getByRole('heading', { level: 3 }).innerText()).toBe('API keys')
  await tab.createKey({ name: 'Hydrated' })
  expect(await page.locator('output').textContent()).toBe('created Hydrated')
  expect(await given?.evaluate((element) => element.isConnected)).toBe(true)
  expect(new Set(backend.seen.map(({ headers }) => headers['x-csrf-token']))).toEqual(
    new Set(['t']),
  )
})

test('the example renders on a server and works in the browser', async () => {
  site().script('/example.js', here(await reactBundle(example, 'development')))
  const { page, tab, backend } = await open({
    main: `<div id="app"><section><api-keys-tab lang="ar" defer-hydration=""></api-keys-tab><button type="button">Refresh</button><output></output></section></div>`,
    scripts: ['/example.js'],
  })
  await tab.createKey({ name: 'From React' })
  await expect.poll(() => page.locator('output').textContent()).toBe('created From React')
  expect(backend.requests('POST /keys')[0]?.headers['x-csrf-token']).toBe('t')
  const loads = backend.requests('GET /keys').length
  await page.getByRole('button', { name: 'Refresh', exact: true }).click()
  await expect.poll(() => backend.requests('GET /keys').length).toBeGreaterThan(loads)
})

/** The test's own handlers and headers cannot cross to the browser, and are written again. */
const hydrate = `
  import { ApiKeysTab } from 'miftah/react'
  import { createElement } from 'react'
  import { hydrateRoot } from 'react-dom/client'
  addEventListener('hydrate', () => hydrateRoot(document.querySelector('#app'), createElement(ApiKeysTab, {
    lang: 'en', className: 'wide', baseUrl: 'api', headingLevel: 3,
    getHeaders: () => ({ 'X-CSRF-Token': 't' }),
    onApiKeyCreated: ({ detail }) => { document.querySelector('output').textContent = 'created ' + detail.name },
  }, createElement('p', { slot: 'banner' }, 'foot')), { onRecoverableError: (error) => console.error(error) }))`

const example = `
  import { createElement } from 'react'
  import { hydrateRoot } from 'react-dom/client'
  import { SettingsPage } from './settings-page.tsx'
  const page = createElement(SettingsPage, { csrfToken: 't' })
  hydrateRoot(document.querySelector('#app'), page, {
    onRecoverableError: (error) => console.error(error),
  })`

/** The routes of a test page are below its own address. */
function here(text: string): string {
  return text.replaceAll('/api/settings/api-keys', 'api')
}
