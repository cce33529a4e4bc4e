import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { tabTests } from '../support/settings-tab/browser.ts'
import { drawnOrder, scrollsSideways, styleOf } from '../support/settings-tab/measure.ts'

const { open } = tabTests()

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
    const own = 'h1 { display: none } body { margin: 0 !important; padding: 24px !important }'
    await restyle(page, own)
    const before = await pictureOf(tab.host)
    await restyle(page, rules)
    expect((await pictureOf(tab.host)).equals(before)).toBe(true)
    await restyle(page, 'api-keys-tab { --apikeys-muted: red }')
    expect((await pictureOf(tab.host)).equals(before)).toBe(false)
  },
)

test('a tab from left to right on a page from right to left: the secret is drawn as it is', async () => {
  const attributes = 'lang="en" dir="ltr" call-url="https://a.example"'
  const { tab, page } = await open({ lang: 'ar', attributes })
  const secret = await tab.createKey()
  expect(await drawnOrder(tab.secret)).toBe(secret)
  for (const width of [1100, 360]) {
    await page.setViewportSize({ width, height: 800 })
    expect([width, await scrollsSideways(tab.host)]).toEqual([width, false])
  }
})

test('the tab has the colours that its page wants, and its dialogs are never transparent', async () => {
  const { tab, page } = await open({ lang: 'en', context: { colorScheme: 'dark' } })
  const root = page.locator('#root')
  expect(await styleOf(root, 'color')).toBe('rgb(244, 244, 245)')
  await restyle(page, ':root { color-scheme: light !important } body { background: #fde }')
  expect(await styleOf(root, 'color')).toBe('rgb(24, 24, 27)')
  await restyle(page, 'api-keys-tab { --apikeys-bg: transparent }')
  expect(await styleOf(root, 'background-color')).toBe('rgba(0, 0, 0, 0)')
  await tab.openCreate()
  expect(await styleOf(tab.createDialog, 'background-color')).toBe('rgb(255, 255, 255)')
})
