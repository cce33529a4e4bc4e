import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { createLocale } from '../../adapters/ui/format/locale.ts'
import { problem, ScriptedBackend } from '../support/settings-tab/backend.ts'
import { tabTests } from '../support/settings-tab/browser.ts'
import { keyOf, now } from '../support/settings-tab/keys.ts'
import { drawnOrder, scrollsSideways, styleOf } from '../support/settings-tab/measure.ts'
import { livingKeys } from '../support/settings-tab/scenes.ts'

const { open } = tabTests()

const callUrl = 'call-url="https://a.example"'

/** Sets styles of the page by its style sheet API, which the strict policy allows. */
function restyle(page: Page, rules: string): Promise<void> {
  return page.evaluate((text) => {
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(text)
    document.adoptedStyleSheets.push(sheet)
  }, rules)
}

/** A picture of an element in which nothing moves any more: two in a row are the same. */
async function pictureOf(element: Locator): Promise<Buffer> {
  for (let last: Buffer = Buffer.alloc(0); ; ) {
    const next = await element.screenshot({ animations: 'disabled', caret: 'hide' })
    if (next.equals(last)) return next
    last = next
  }
}

test('forced colours: a choice keeps its arrow', async () => {
  const { page } = await open({ context: { forcedColors: 'active' } })
  expect(await styleOf(page.locator('#filter'), 'appearance')).not.toBe('none')
})

const hostile = `
  html { font-size: 62.5% }
  body { text-transform: uppercase; white-space: nowrap; letter-spacing: .2em; word-spacing: 1em;
    text-indent: 3em; text-shadow: 0 0 3px red; word-break: break-all; user-select: none;
    text-align: center; font-style: italic; -webkit-text-fill-color: red; line-height: 3 }`

test('nothing that the page sets for its texts comes in: the secret is drawn as it is', async () => {
  const { tab, page, backend } = await open({ lang: 'en', width: 700 })
  await restyle(page, `${hostile} html { font-size: 16px }`)
  await tab.createKey()
  expect(await tab.secret.innerText()).toBe(backend.secrets[0])
  for (const part of [tab.secret, page.locator('.muted').first()]) {
    for (const [property, value] of Object.entries({
      'text-transform': 'none',
      'white-space': 'normal',
      'letter-spacing': 'normal',
      'text-indent': '0px',
      'text-shadow': 'none',
      'font-style': 'normal',
      '-webkit-text-fill-color': await styleOf(part, 'color'),
    })) {
      expect([property, await styleOf(part, property)]).toEqual([property, value])
    }
  }
  expect(await scrollsSideways(tab.host)).toBe(false)
  // A panel that the page hides stays hidden.
  await restyle(page, 'main { visibility: hidden }')
  expect(await tab.newKey.isVisible()).toBe(false)
})

const pages = {
  'a reset of every element, as Tailwind has it': `
    *, ::before, ::after { box-sizing: border-box; margin: 0; padding: 0; border: 0 solid }
    button, input, select, textarea { font: inherit; color: inherit; background: transparent }
    table { border-collapse: collapse; text-indent: 0 } ol, ul { list-style: none }
    svg { display: block } a { color: inherit; text-decoration: inherit }
    [hidden] { display: none !important }`,
  'the type of a framework, as Bootstrap has it': `
    body { font: 300 18px/1.9 serif; color: #a00; text-align: justify } label { display: inline-block }
    legend { float: left; width: 100%; font-size: 2em } caption { caption-side: bottom }
    button { border-radius: 0 } code, pre { font-size: .7em; color: #d63384 } th { text-align: inherit }`,
  'a base size of 62.5 %, and type for a poster': hostile,
}

test.each(Object.entries(pages))(
  'the tab is drawn the same on a page with %s',
  async (_, rules) => {
    const { tab, page } = await open({ lang: 'en', width: 1000 })
    await restyle(
      page,
      'h1 { display: none } body { margin: 0 !important; padding: 24px !important }',
    )
    const before = await pictureOf(tab.host)
    await restyle(page, rules)
    expect((await pictureOf(tab.host)).equals(before)).toBe(true)
    await restyle(page, 'api-keys-tab { --apikeys-muted: red }')
    expect((await pictureOf(tab.host)).equals(before)).toBe(false)
  },
)

test('a tab from left to right on a page from right to left: the secret is drawn as it is', async () => {
  const attributes = `lang="en" dir="ltr" ${callUrl}`
  const { tab, page } = await open({ lang: 'ar', attributes })
  const secret = await tab.createKey()
  expect(await drawnOrder(tab.secret)).toBe(secret)
  for (const width of [1100, 360]) {
    await page.setViewportSize({ width, height: 800 })
    expect([width, await scrollsSideways(tab.host)]).toEqual([width, false])
  }
})

test('the tab is as transparent as the page wants it, and its dialogs are not', async () => {
  const { tab, page } = await open({ lang: 'en' })
  await restyle(page, 'body { background: #fde } api-keys-tab { --apikeys-bg: transparent }')
  expect(await styleOf(page.locator('#root'), 'background-color')).toBe('rgba(0, 0, 0, 0)')
  await tab.openCreate()
  expect(await styleOf(tab.createDialog, 'background-color')).toBe('rgb(255, 255, 255)')
})

test('the tab follows the colour scheme of the page, which it is drawn on', async () => {
  const { page } = await open({ lang: 'en', context: { colorScheme: 'dark' } })
  expect(await styleOf(page.locator('#root'), 'color')).toBe('rgb(244, 244, 245)')
  await restyle(page, ':root { color-scheme: light !important }')
  expect(await styleOf(page.locator('#root'), 'color')).toBe('rgb(24, 24, 27)')
})

test('texts, dates, language and direction of a language without texts fall back together', () => {
  const settings = { timeZone: 'UTC', strings: {} } as const
  const german = createLocale({ ...settings, lang: 'de', dir: 'ltr' })
  expect([german.settings.lang, german.dates.within(5, 'day')]).toEqual(['en', 'In 5 days'])
  const urdu = createLocale({ ...settings, lang: 'ur', dir: 'rtl' })
  expect([urdu.settings.lang, urdu.settings.dir]).toEqual(['en', 'ltr'])
  const given = createLocale({
    ...settings,
    lang: 'ur',
    dir: 'rtl',
    strings: { ur: { new: 'نیا' } },
  })
  expect([given.settings.lang, given.settings.dir]).toEqual(['ur', 'rtl'])
})

test('direction marks in a name are not drawn, and are are not sent', async () => {
  const keys = [keyOf({ id: 'key_1', name: '\u200Fمتجر\u200E CRM' })]
  const backend = new ScriptedBackend(keys)
  const { tab } = await open({ lang: 'en', backend })
  expect(await tab.row('key_1').locator('[part=name]').textContent()).toBe('متجر CRM')
  await tab.createKey({ name: '\u200Fمتجر' })
  expect(backend.requests('POST /keys')[0]?.body).toMatchObject({ name: 'متجر' })
})

test('the brand is the one that the routes name', async () => {
  const backend = Object.assign(new ScriptedBackend([]), { brand: 'acme' })
  const { page } = await open({ lang: 'en', backend })
  await expect.poll(() => page.locator('.steps code').innerText()).toContain('Bearer acme_test_…')
})

test('keys that end while they are looked at are shown as ended within a minute', async () => {
  const end = new Date(now + 5_000).toISOString()
  const backend = new ScriptedBackend([
    keyOf({ id: 'key_1' }),
    keyOf({ id: 'key_2', status: 'retiring', retiresAt: end }),
    keyOf({ id: 'key_3', status: 'paused', expiresAt: end }),
  ])
  const { tab, page } = await open({ lang: 'en', backend, fakeTimers: true })
  expect(await tab.status('key_2').innerText()).toBe('Being replaced')
  await page.clock.runFor(60_100)
  await tab.unfold()
  expect(await tab.status('key_2').innerText()).toBe('Revoked')
  expect(await tab.status('key_3').innerText()).toBe('Expired')
  expect(await tab.row('key_2').locator('[part=stop-button]').count()).toBe(0)
})

test('a new key is not waited for once the session has ended', async () => {
  const { tab, page, backend } = await open({ lang: 'en', attributes: callUrl })
  await tab.createKey()
  await page.locator('[data-note=call]').waitFor()
  backend.always('GET /keys', problem(401, 'unauthenticated'))
  await tab.refresh()
  await page.locator('#session-panel').waitFor()
  expect(await page.locator('[data-note=call]').count()).toBe(0)
})

test('a click beside the details closes them, and none beside a question', async () => {
  const { tab, page } = await open({ lang: 'en' })
  await tab.row('key_store').locator('.name-button').click()
  await page.locator('#details[open]').waitFor()
  await page.mouse.click(5, 400)
  await page.locator('#details').waitFor({ state: 'hidden' })
  await tab.ask('revoke', 'key_store')
  await page.mouse.click(5, 400)
  expect(await tab.confirmDialog.isVisible()).toBe(true)
})

test('a key with a second left does not expire in an hour', () => {
  const settings = { lang: 'en', dir: 'ltr' } as const
  const { dates } = createLocale({ ...settings, timeZone: 'UTC', strings: {} })
  const left = (ms: number) => dates.coming(new Date(now + ms).toISOString(), now)
  expect([left(1_000), left(90_000), left(3_600_000)]).toEqual([
    'in 1 minute',
    'in 1 minute',
    'in 1 hour',
  ])
})

test.each(['ar', 'en'] as const)(
  'fingers: nothing to press is smaller than 44 px (%s)',
  async (lang) => {
    const context = { hasTouch: true, isMobile: true } as const
    const { tab, page } = await open({
      lang,
      width: 390,
      backend: new ScriptedBackend(livingKeys),
      attributes: callUrl,
      context: { ...context, viewport: { width: 390, height: 844 } },
    })
    const small = () =>
      page.evaluate(() => {
        const root = document.querySelector('api-keys-tab')?.shadowRoot
        const layer = root?.querySelector('dialog[open]') ?? root
        const all = [
          ...(layer?.querySelectorAll('button, select, input, summary, label.box') ?? []),
        ]
        return all
          .filter((node) => !node.matches('label input, .name-button, .link, .fold'))
          .map((node) => [node.className || node.id, node.getBoundingClientRect().height] as const)
          .filter(([, height]) => height > 0 && height < 44)
      })
    expect(await small()).toEqual([])
    await tab.openCreate()
    expect(await small()).toEqual([])
  },
)

test('the print has the table and no secret, nothing to press, no dialog', async () => {
  const { tab, page } = await open({ lang: 'en' })
  await tab.createKey()
  await tab.openCreate()
  await page.emulateMedia({ media: 'print' })
  expect(await page.locator('table').isVisible()).toBe(true)
  for (const part of [tab.secret, tab.createDialog, tab.newKey]) {
    expect(await part.first().isVisible()).toBe(false)
  }
})

test('who prefers more contrast gets it', async () => {
  const { page } = await open({ lang: 'en', context: { contrast: 'more' } })
  const text = await styleOf(page.locator('#root'), 'color')
  expect(await styleOf(page.locator('.muted').first(), 'color')).toBe(text)
})

test('New key says that it is busy until the second file is there', async () => {
  const { tab, page } = await open({
    lang: 'en',
    before: () => delete (window as { requestIdleCallback?: unknown }).requestIdleCallback,
  })
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route('**/settings-tab-lazy.js*', async (route) => {
    await held
    await route.continue()
  })
  await page.reload()
  await tab.ready()
  await tab.newKey.click()
  await expect.poll(() => tab.newKey.getAttribute('aria-busy')).toBe('true')
  release()
  await tab.createDialog.locator('[data-scope]').first().waitFor()
  expect(await tab.newKey.getAttribute('aria-busy')).toBe(null)
})
