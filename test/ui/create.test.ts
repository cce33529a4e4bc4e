import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { ScriptedBackend } from '../support/settings-tab/backend.ts'
import { tabTests } from '../support/settings-tab/browser.ts'
import { catalogue } from '../support/settings-tab/catalogue.ts'
import { styleOf } from '../support/settings-tab/measure.ts'

const { open } = tabTests()
const sent = (backend: ScriptedBackend) => backend.requests('POST /keys')

test.each([
  ['en', 1100, 900],
  ['ar', 360, 640],
  ['en', 320, 480],
] as const)(
  'what is missing is said, in view, has the focus, and nobody is asked (%s, %i × %i)',
  async (lang, width, height) => {
    const { tab, page, backend } = await open({ lang, width, height })
    await tab.openCreate()
    const lastBox = page.locator('[data-scope="webhooks.write"]')
    // The button is pressed at the end of a long form.
    await lastBox.scrollIntoViewIfNeeded()
    await tab.submit.click()
    await expect.poll(() => tab.focused()).toBe('create-name')
    expect(await hidden(page, ['#create-name', '#create-name-error'])).toEqual([])
    for (const id of ['v.name.required', 'v.env.required', 'v.scopes.required'] as const) {
      await tab.words(tab.text(id), { exact: true }).waitFor()
    }
    const name = page.locator('#create-name')
    expect(await name.getAttribute('aria-invalid')).toBe('true')
    expect(await name.getAttribute('aria-describedby')).toContain('create-name-error')
    const foot = await tab.createDialog.locator('.dialog-foot').textContent()
    expect(foot).toContain(tab.text('v.summary', { n: 3 }))
    // None is cut in silence.
    await name.fill('x'.repeat(121))
    await tab.submit.click()
    expect(await name.inputValue()).toHaveLength(121)
    expect(await name.getAttribute('aria-invalid')).toBe('true')
    await name.fill('Store')
    expect(await name.getAttribute('aria-invalid')).toBeNull()
    await tab.submit.click()
    await expect.poll(() => tab.focused()).toBe('env-live')
    expect(await hidden(page, ['#env-live', '#create-env-error'])).toEqual([])
    await page.locator('#env-test').check()
    await lastBox.scrollIntoViewIfNeeded()
    await tab.submit.click()
    await expect.poll(() => tab.focused()).toBe('scopes-all')
    expect(await hidden(page, ['#scopes-all', '#scopes-error'])).toEqual([])
    await expect.poll(() => tab.heard(tab.text('v.summary', { n: 1 }))).toBe(true)
    expect(sent(backend)).toEqual([])
  },
)

/** The selectors of what is not wholly inside the visible part of the dialog. */
function hidden(page: Page, selectors: readonly string[]): Promise<string[]> {
  return page.locator('dialog[open] .dialog-body').evaluate((body, all) => {
    const view = body.getBoundingClientRect()
    return all.filter((selector) => {
      const box = body.querySelector(selector)?.getBoundingClientRect()
      return !box || box.height === 0 || box.top < view.top || box.bottom > view.bottom
    })
  }, selectors)
}

test.each([
  ['ar', 'rtl', 'CRM', 'ltr'],
  ['en', 'ltr', 'خادم', 'rtl'],
] as const)(
  'a field runs as its language does, and its words as theirs; password managers leave it alone (%s)',
  async (lang, own, name, other) => {
    const { tab, page } = await open({ lang })
    await tab.openCreate()
    for (const id of ['#create-name', '#create-note']) {
      const found = await page.locator(id).evaluate((node) => node.getAttributeNames())
      const ignored = ['data-1p-ignore', 'data-bwignore', 'data-lpignore']
      expect(found).toEqual(expect.arrayContaining(ignored))
      expect(await page.locator(id).getAttribute('autocomplete')).toBe('off')
    }
    const field = page.locator('#create-name')
    for (const [text, direction] of [
      ['', own],
      [name, other],
      ['', own],
    ] as const) {
      await field.fill(text)
      await expect.poll(() => styleOf(field, 'direction')).toBe(direction)
    }
  },
)

test.each(['ar', 'en'] as const)(
  'a row for each of eleven groups, 24 boxes in short words, codes on hover (%s)',
  async (lang) => {
    const { tab } = await open({ lang })
    await tab.openCreate()
    const groups = tab.createDialog.locator('[part=scope-group] .scope-name')
    expect(await groups.allInnerTexts()).toEqual(catalogue.groups.map(({ label }) => label[lang]))
    const scopes = catalogue.groups.flatMap((group) => group.scopes)
    const boxes = tab.createDialog.locator('[part=scope]')
    expect((await boxes.allInnerTexts()).map((text) => text.trim())).toEqual(
      scopes.map(({ label, short = label }) => short[lang]),
    )
    const attributes = await boxes.evaluateAll((all) =>
      all.map((one) => [
        one.querySelector('input')?.getAttribute('aria-label'),
        one.getAttribute('title'),
      ]),
    )
    expect(attributes).toEqual(scopes.map(({ label, scope }) => [label[lang], scope]))
  },
)

test('all, reading alone and none of the permissions', async () => {
  const { tab, page } = await open()
  await tab.openCreate()
  const all = page.locator('#scopes-all')
  const chosen = () => tab.createDialog.locator('[data-scope]:checked').count()
  await all.click()
  expect(await chosen()).toBe(24)
  expect(await page.locator('[data-note=full-access]').textContent()).toContain('قراءة كل بياناتك')
  expect(await all.innerText()).toBe(tab.strings['form.scopes.none'])
  await all.click()
  expect(await chosen()).toBe(0)
  await page.locator('[data-scope="contacts.read"]').check()
  expect(await page.locator('[data-note=count]').innerText()).toBe('تم تحديد صلاحية واحدة')
  await page.locator('[data-act=read-only]').click()
  expect(await chosen()).toBe(13)
  await all.click()
  await all.click()
  await expect.poll(() => tab.heard('لم تُحدَّد أي صلاحية')).toBe(true)
})

test('from 40 permissions on they can be searched, and a choice of many takes those that are shown', async () => {
  const scopes = Array.from({ length: 40 }, (_, at) => ({
    scope: `thing${at}.${at % 2 ? 'read' : 'write'}`,
    label: { en: `Thing ${at}` },
  }))
  const body = { groups: [{ id: 'things', label: { en: 'Things' }, scopes }] }
  const backend = new ScriptedBackend().always('GET /scopes', { status: 200, body })
  const { tab, page } = await open({ lang: 'en', backend })
  await tab.openCreate()
  const search = tab.createDialog.getByRole('searchbox', { name: 'Search' })
  await search.fill('thing1')
  await page.locator('#scopes-all').click()
  expect(await page.locator('[data-note=count]').innerText()).toBe('11 selected')
  await search.press('Enter')
  await search.fill('zzz')
  const said = tab.text('search.none', { q: 'zzz' })
  expect(await page.locator('[data-note=unmatched]').innerText()).toBe(said)
  await expect.poll(() => tab.heard(said)).toBe(true)
  expect(sent(backend)).toEqual([])
})

test('the request holds what was chosen and nothing leaks beside it', async () => {
  const { tab, page, backend } = await open()
  await tab.host.evaluate((element: HTMLElementTagNameMap['api-keys-tab']) => {
    element.getHeaders = async () => ({ 'X-CSRF-Token': 'token-1' })
    const { fetch } = window
    window.fetch = (input, init) => {
      document.title = `${init?.cache} ${init?.credentials} ${init?.redirect} ${init?.referrerPolicy}`
      return fetch(input, init)
    }
  })
  await tab.createKey({
    ...{ name: ' CRM ', environment: 'test', scopes: ['orders.write', 'contacts.read'] },
  })
  const [request] = sent(backend)
  expect(request).toMatchObject({
    search: '',
    headers: { 'x-csrf-token': 'token-1', 'content-type': 'application/json' },
  })
  const scopes = ['contacts.read', 'orders.write']
  expect(request?.body).toEqual({ name: 'CRM', environment: 'test', scopes })
  expect(request?.headers['referer']).toBeUndefined()
  expect(await page.title()).toBe('no-store same-origin error no-referrer')
})

test('a double click and a held Enter make one key', async () => {
  const { tab, page, backend } = await open()
  await tab.openCreate()
  await tab.fill()
  await tab.submit.dblclick()
  await tab.banners.first().waitFor()
  expect(sent(backend)).toHaveLength(1)
  await tab.openCreate()
  await tab.fill()
  await page.locator('#create-name').focus()
  for (let presses = 0; presses < 5; presses += 1) await page.keyboard.down('Enter')
  await page.keyboard.up('Enter')
  await expect.poll(() => tab.banners.count()).toBe(2)
  expect(sent(backend)).toHaveLength(2)
})
