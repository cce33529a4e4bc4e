import { expect, test } from 'vitest'
import { handlerOf } from '../../adapters/react/tag.ts'
import { defaultSettings } from '../../adapters/ui/tab/settings.ts'
import { tabTests } from '../support/settings-tab/browser.ts'
import { reactBundle } from '../support/settings-tab/react.ts'

type Tab = HTMLElementTagNameMap['api-keys-tab']

/** What the page below offers to a test. */
interface App {
  /** Renders the tab in English with these props, or nothing. */
  render(props: object | null): void
  /** Gives the tab a handler for every event, which notes it behind this word. */
  handlers(word: string): object
  /** The events that were handled, and the words of their handlers. */
  readonly handled: string[]
  readonly ref: { readonly current: Tab | null }
}

declare global {
  interface Window {
    app: App
  }
}

const { open, site } = tabTests()
const types = Object.keys(handlerOf)

const script = `
  import { ApiKeysTab } from 'miftah/react'
  import { createElement, createRef, StrictMode } from 'react'
  import { flushSync } from 'react-dom'
  import { createRoot } from 'react-dom/client'

  const handled = [], ref = createRef(), place = document.querySelector('#app')
  const root = createRoot(place)
  const wrapped = (tab) => place.className === 'strict' ? createElement(StrictMode, null, tab) : tab
  window.app = {
    handled, ref,
    render: (props) => flushSync(() => {
      root.render(props && wrapped(createElement(ApiKeysTab, { baseUrl: 'api', lang: 'en', ref, ...props })))
    }),
    handlers: (word) => Object.fromEntries(${JSON.stringify(Object.entries(handlerOf))}.map(
      ([type, prop]) => [prop, (event) => handled.push(word + ' ' + event.type)],
    )),
  }
  app.render({})`

async function opened(mode = '') {
  site().files.set('/app.js', await reactBundle(script))
  const main = `<div id="app" class="${mode}"></div>`
  return open({ lang: 'en', main, scripts: ['/app.js'] })
}

test('every setting reaches the element, and goes back to its default', async () => {
  const given = {
    ...{ upgradeUrl: '/u', loginUrl: '/l', docsUrl: '/d', callUrl: 'https://a.example/c' },
    ...{ userId: 'u_2', theme: 'dark', timeZone: 'Asia/Riyadh', defaultExpiry: '30' },
    ...{ headingLevel: 5, hideHeading: true, readonly: true, strings: { en: { new: 'Mint' } } },
  }
  const { tab, page } = await opened()
  const names = Object.keys(given)
  const read = () =>
    tab.host.evaluate((tab, names) => names.map((name) => Reflect.get(tab, name)), names)
  const defaults = names.map((name) => Reflect.get(defaultSettings, name))
  await page.evaluate((given) => window.app.render(given), given)
  expect(await read()).toEqual(Object.values(given))
  await page.evaluate(() => window.app.render({}))
  expect(await read()).toEqual(defaults)
  await page.evaluate((given) => window.app.render(given), given)
  await page.evaluate(
    (names) => window.app.render(Object.fromEntries(names.map((name) => [name, undefined]))),
    names,
  )
  expect(await read()).toEqual(defaults)
})

test('attributes and children are those of the tag', async () => {
  const { tab, page } = await opened()
  await page.evaluate(() =>
    window.app.render({
      ...{ lang: 'ar', id: 'keys', className: 'wide', style: { maxWidth: '700px' } },
      ...{ 'data-test': 'yes', children: 'x', onClick: () => window.app.handled.push('click') },
    }),
  )
  await expect.poll(() => page.locator('#root').getAttribute('dir')).toBe('rtl')
  expect(await tab.host.evaluate((element) => element.outerHTML)).toBe(
    '<api-keys-tab lang="ar" id="keys" data-test="yes" class="wide" style="max-width: 700px;">x</api-keys-tab>',
  )
  await tab.newKey.click()
  expect(await page.evaluate(() => window.app.handled)).toEqual(['click'])
})

test('each event reaches the latest handler, once, and none after the tab has gone', async () => {
  const { tab, page } = await opened()
  const element = await tab.host.elementHandle()
  const handledBy = async (word: string | null) => {
    await page.evaluate((word) => {
      window.app.render(word === null ? null : window.app.handlers(word))
      window.app.handled.length = 0
    }, word)
    await element?.evaluate((element, types) => {
      for (const type of types) element.dispatchEvent(new CustomEvent(type))
    }, types)
    return page.evaluate(() => window.app.handled)
  }
  const told = (word: string) => types.map((type) => `${word} ${type}`)
  expect(await handledBy('first')).toEqual(told('first'))
  expect(await handledBy('second')).toEqual(told('second'))
  expect(await page.evaluate(() => window.app.ref.current?.localName)).toBe('api-keys-tab')
  expect(await handledBy(null)).toEqual([])
  expect(await page.evaluate(() => window.app.ref.current)).toBe(null)
})

test('a key that is being created stays while props change and are taken back', async () => {
  const { tab, page, backend } = await opened()
  const { arrived, release } = backend.hold('POST /keys')
  await tab.send()
  await arrived
  const strings = { en: { new: 'Mint' } }
  await page.evaluate((strings) => window.app.render({ strings, id: 'keys' }), strings)
  await expect.poll(() => tab.newKey.innerText()).toContain('Mint')
  await page.evaluate(() => window.app.render({ lang: 'ar', className: 'x' }))
  release()
  await tab.banners.first().waitFor()
  expect(await tab.secret.textContent()).toBe(backend.secrets[0])
})

test('StrictMode mounts one tab, which loads once and fires each event once', async () => {
  const { tab, page, backend } = await opened('strict')
  await page.evaluate(() => window.app.render(window.app.handlers('strict')))
  await tab.createKey()
  const handled = await page.evaluate(() => window.app.handled)
  expect(handled.filter((event) => event === 'strict api-key-created')).toHaveLength(1)
  expect(backend.requests('GET /scopes')).toHaveLength(1)
})
