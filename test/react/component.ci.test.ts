import { expect, test } from 'vitest'
import { handlerOf } from '../../adapters/react/props.ts'
import { defaultSettings } from '../../adapters/ui/tab/settings.ts'
import { ScriptedBackend } from '../support/settings-tab/backend.ts'
import { type Opened, type OpenOptions, tabTests } from '../support/settings-tab/browser.ts'
import { reactBundle } from '../support/settings-tab/react.ts'

type Tab = HTMLElementTagNameMap['api-keys-tab']

/** What the page below offers to a test. */
interface App {
  /** Renders the tab with these props, or nothing. */
  render(props: object | null): void
  /** Gives the tab a handler for every event, which notes it behind this word. */
  handlers(word: string): object
  /** The events that were handled, and the words of their handlers. */
  readonly handled: string[]
  /** The properties that were set on the element to a value that is absent. */
  readonly absent: string[]
  readonly ref: { readonly current: Tab | null }
}

interface Options extends OpenOptions {
  /** Whether the tab is within StrictMode, or not rendered before the test does it. */
  readonly mode?: 'strict' | 'later'
}

declare global {
  interface Window {
    app: App
  }
}

const { open, site } = tabTests()

const page = `
  import { ApiKeysTab } from 'miftah/react'
  import { createElement, createRef, StrictMode } from 'react'
  import { flushSync } from 'react-dom'
  import { createRoot } from 'react-dom/client'

  const { mode } = document.querySelector('#app').dataset
  const handled = [], absent = [], ref = createRef()
  const { prototype } = customElements.get('api-keys-tab')
  for (const name of ${JSON.stringify(Object.keys(defaultSettings))}) {
    const { get, set } = Object.getOwnPropertyDescriptor(prototype, name)
    Object.defineProperty(prototype, name, {
      get,
      set(value) {
        if (value === undefined) absent.push(name)
        set.call(this, value)
      },
    })
  }
  const root = createRoot(document.querySelector('#app'))
  const wrapped = (tab) => mode === 'strict' ? createElement(StrictMode, null, tab) : tab
  window.app = {
    handled, absent, ref,
    render: (props) => flushSync(() => {
      root.render(props && wrapped(createElement(ApiKeysTab, { baseUrl: 'api', ref, ...props })))
    }),
    handlers: (word) => Object.fromEntries(${JSON.stringify(Object.entries(handlerOf))}.map(
      ([type, prop]) => [prop, (event) => handled.push(word + ' ' + event.type)],
    )),
  }
  if (mode !== 'later') app.render({ lang: 'en' })`

async function opened({ mode, ...options }: Options = {}): Promise<Opened> {
  site().script('/app.js', await reactBundle(page, 'development'))
  const scripts = ['/app.js']
  return open({
    lang: 'en',
    main: `<div id="app" data-mode="${mode ?? ''}"></div>`,
    scripts,
    ...options,
  })
}

test('settings are set, changed, and taken back to their defaults', async () => {
  const { tab, page } = await opened()
  await page.evaluate(() =>
    window.app.render({ lang: 'en', headingLevel: 3, strings: { en: { new: 'Mint' } } }),
  )
  await expect.poll(() => tab.newKey.innerText()).toContain('Mint')
  expect(await page.getByRole('heading', { level: 3 }).innerText()).toBe('API keys')
  await page.evaluate(() =>
    window.app.render({ lang: 'en', headingLevel: 4, strings: undefined, theme: null }),
  )
  await expect.poll(() => tab.newKey.innerText()).toContain('New key')
  expect(await page.getByRole('heading', { level: 4 }).count()).toBe(1)
  await page.evaluate(() => window.app.render({ lang: 'en' }))
  await expect.poll(() => page.getByRole('heading', { level: 2 }).count()).toBe(1)
  expect(await page.evaluate(() => window.app.absent)).toEqual([])
})

test('every setting reaches the element and goes back', async () => {
  const given = {
    ...{ upgradeUrl: '/u', loginUrl: '/l', docsUrl: '/d', callUrl: 'https://a.example/c' },
    ...{
      userId: 'u_2',
      theme: 'dark',
      timeZone: 'Asia/Riyadh',
    },
    ...{ headingLevel: 5, hideHeading: true, readonly: true },
    ...{ strings: { en: { new: 'Mint' } } },
  }
  const { tab, page } = await opened()
  const read = (names: readonly string[]) =>
    tab.host.evaluate(
      (element: Tab, names) => names.map((name) => Reflect.get(element, name)),
      [...names],
    )
  await page.evaluate((given) => window.app.render({ lang: 'en', ...given }), given)
  expect(await read(Object.keys(given))).toEqual(Object.values(given))
  await page.evaluate(() => window.app.render({ lang: 'en' }))
  expect(await read(Object.keys(given))).toEqual(
    Object.keys(given).map((name) => Reflect.get(defaultSettings, name)),
  )
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
  const tag = await tab.host.evaluate((element) => element.outerHTML)
  expect(tag).toBe(
    '<api-keys-tab lang="ar" id="keys" data-test="yes" class="wide" style="max-width: 700px;">x</api-keys-tab>',
  )
  await tab.newKey.click()
  expect(await page.evaluate(() => window.app.handled)).toEqual(['click'])
})

test('each event reaches the latest handler, once', async () => {
  const { tab, page } = await opened()
  const handledBy = async (word: string | null) => {
    await page.evaluate((word) => {
      window.app.render({ lang: 'en', ...(word === null ? {} : window.app.handlers(word)) })
      window.app.handled.length = 0
    }, word)
    await tab.host.evaluate((element, types) => {
      for (const type of types) element.dispatchEvent(new CustomEvent(type))
    }, Object.keys(handlerOf))
    return page.evaluate(() => window.app.handled)
  }
  const told = (word: string) => Object.keys(handlerOf).map((type) => `${word} ${type}`)
  expect(await handledBy('first')).toEqual(told('first'))
  expect(await handledBy('second')).toEqual(told('second'))
  expect(await handledBy(null)).toEqual([])
})

test('a handler can prevent what the tab would do', async () => {
  const backend = new ScriptedBackend()
  backend.publicApi = false
  const { page } = await opened({ backend })
  const before = page.url()
  await page.evaluate(() =>
    window.app.render({
      lang: 'en',
      onUpgrade: (event: CustomEvent<{ reason: string }>) => {
        event.preventDefault()
        window.app.handled.push(event.detail.reason)
      },
    }),
  )
  await page.locator('[part~=upgrade-link]').first().click()
  expect(await page.evaluate(() => window.app.handled)).toEqual(['capability'])
  expect(page.url()).toBe(before)
})

test('a key that is being created stays while props change and are taken back', async () => {
  const { tab, page, backend } = await opened()
  const { arrived, release } = backend.hold('POST /keys')
  await tab.send()
  await arrived
  await page.evaluate(() =>
    window.app.render({ lang: 'en', strings: { en: { new: 'Mint' } }, getHeaders: () => ({}) }),
  )
  await expect.poll(() => tab.newKey.innerText()).toContain('Mint')
  await page.evaluate(() => window.app.render({ lang: 'ar', className: 'x' }))
  release()
  await tab.banners.first().waitFor()
  expect(await tab.secret.textContent()).toBe(backend.secrets[0])
  await page.evaluate(() => window.app.render({ lang: 'en', headingLevel: 3 }))
  await expect.poll(() => page.getByRole('heading', { level: 3 }).count()).toBe(1)
  expect(await tab.secret.textContent()).toBe(backend.secrets[0])
})

test('StrictMode mounts one tab, which loads once and fires each event once', async () => {
  const { tab, page, backend } = await opened({ mode: 'strict' })
  await page.evaluate(() => window.app.render({ lang: 'en', ...window.app.handlers('strict') }))
  await tab.createKey()
  const handled = await page.evaluate(() => window.app.handled)
  expect(handled.filter((event) => event === 'strict api-key-created')).toHaveLength(1)
  expect(backend.requests('GET /scopes')).toHaveLength(1)
  expect(await page.evaluate(() => window.app.ref.current?.state)).toBe('list')
})

test('nothing listens to a tab that has gone', async () => {
  const { tab, page } = await opened()
  await page.evaluate(() => window.app.render({ lang: 'en', ...window.app.handlers('gone') }))
  const gone = await tab.host.elementHandle()
  const refs = await page.evaluate(() => {
    const before = window.app.ref.current?.localName
    window.app.render(null)
    window.app.handled.length = 0
    return [before, window.app.ref.current]
  })
  expect(refs).toEqual(['api-keys-tab', null])
  await gone?.evaluate((element, types) => {
    for (const type of types) element.dispatchEvent(new CustomEvent(type))
  }, Object.keys(handlerOf))
  expect(await page.evaluate(() => window.app.handled)).toEqual([])
})
