import { expect, test } from 'vitest'
import { many, ScriptedBackend } from '../support/settings-tab/backend.ts'
import { tabTests } from '../support/settings-tab/browser.ts'
import { allScopes, catalogue } from '../support/settings-tab/catalogue.ts'
import { styleOf } from '../support/settings-tab/measure.ts'

const { open } = tabTests()
const sent = (backend: ScriptedBackend) => backend.requests('POST /keys')

test('an empty form says what is missing, and asks nobody', async () => {
  const { tab, page, backend } = await open()
  await tab.openCreate()
  await tab.submit.click()
  for (const id of ['v.name.required', 'v.env.required', 'v.scopes.required'] as const) {
    await tab.words(tab.text(id), { exact: true }).waitFor()
  }
  await expect.poll(() => tab.focused()).toBe('create-name')
  const name = page.locator('#create-name')
  expect(await name.getAttribute('aria-invalid')).toBe('true')
  const described = (await name.getAttribute('aria-describedby'))?.split(' ') ?? []
  expect(await page.locator(`#${described.at(-1)}`).textContent()).toContain(
    tab.strings['v.name.required'],
  )
  expect(await tab.createDialog.locator('.dialog-foot').textContent()).toContain('توجد 3 أخطاء')
  await name.fill('x')
  expect(await name.getAttribute('aria-invalid')).toBeNull()
  expect(sent(backend)).toEqual([])
})

test.each(['ar', 'en'] as const)('an empty field runs as its language does (%s)', async (lang) => {
  const backend = many(15)
  const { tab, page } = await open({ lang, backend })
  const directions = () =>
    page
      .locator(':is(input[type=text], input[type=search])')
      .evaluateAll((fields) => fields.map((field) => getComputedStyle(field).direction))
  await page.locator('#search').waitFor()
  await tab.openCreate()
  const own = lang === 'ar' ? 'rtl' : 'ltr'
  expect(await directions()).toEqual([own, own, own])
  const name = page.locator('#create-name')
  await name.fill(lang === 'ar' ? 'CRM' : 'خادم')
  const other = lang === 'ar' ? 'ltr' : 'rtl'
  await expect.poll(directions).toContain(other)
  await name.fill('')
  await expect.poll(directions).not.toContain(other)
  expect(await styleOf(page.locator('#create-expiry'), 'background-position')).toMatch(
    lang === 'ar' ? /^12px/ : /^right 12px|^calc\(100% - 12px\)/,
  )
})

test('password managers leave the fields alone, and page translation the prefixes', async () => {
  const { tab, page } = await open()
  expect(await tab.row('key_store').locator('[part=key]').getAttribute('translate')).toBe('no')
  await tab.openCreate()
  for (const field of ['#create-name', '#create-note']) {
    const found = await page.locator(field).evaluate((node) => node.getAttributeNames())
    expect(found).toEqual(
      expect.arrayContaining(['data-1p-ignore', 'data-bwignore', 'data-lpignore']),
    )
    expect(await page.locator(field).getAttribute('autocomplete')).toBe('off')
  }
})

test('120 characters as people count them, none cut in silence', async () => {
  const { tab, page, backend } = await open()
  backend.activeKeyLimit = null
  const name = page.locator('#create-name')
  const refused = async (value: string, id: 'v.name.long' | 'v.name.required' | 'v.name.chars') => {
    await name.fill(value)
    await tab.submit.click()
    await expect
      .poll(() => page.locator('#create-name-error').textContent())
      .toContain(tab.text(id, { n: 120 }))
    expect(await name.inputValue()).toBe(value)
  }
  await tab.openCreate()
  await tab.fill()
  await refused('x'.repeat(121), 'v.name.long')
  await refused('x'.repeat(300), 'v.name.long')
  await refused('   ', 'v.name.required')
  await refused('a\u202Eb', 'v.name.chars')
  expect(sent(backend)).toEqual([])
  for (const value of ['x'.repeat(120), '🔑'.repeat(120)]) {
    await name.fill(`  ${value} `)
    await tab.submit.click()
    await tab.createDialog.waitFor({ state: 'hidden' })
    expect(sent(backend).at(-1)?.body).toMatchObject({ name: value })
    await tab.openCreate()
    await tab.fill()
  }
})

test.each(['ar', 'en'] as const)(
  'a row for each of eleven groups, 24 boxes in short words, codes on hover (%s)',
  async (lang) => {
    const { tab } = await open({ lang })
    await tab.openCreate()
    const rows = tab.createDialog.locator('[part=scope-group]')
    expect(await rows.locator('.scope-name').allInnerTexts()).toEqual(
      catalogue.groups.map(({ label }) => label[lang]),
    )
    const scopes = catalogue.groups.flatMap((group) => group.scopes)
    const boxes = tab.createDialog.locator('[part=scope]')
    expect((await boxes.allInnerTexts()).map((text) => text.trim())).toEqual(
      scopes.map(({ label, short = label }) => short[lang]),
    )
    const names = boxes.locator('input')
    const attributes = (name: string) =>
      names.evaluateAll((all, name) => all.map((one) => one.getAttribute(name)), name)
    expect(await attributes('aria-label')).toEqual(scopes.map(({ label }) => label[lang]))
    const titles = boxes.evaluateAll((all) => all.map((one) => one.getAttribute('title')))
    expect(await titles).toEqual([...allScopes])
    expect(allScopes).toHaveLength(24)
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
  const backend = new ScriptedBackend()
  const scopes = Array.from({ length: 40 }, (_, at) => ({
    scope: `thing${at}.${at % 2 ? 'read' : 'write'}`,
    label: { en: `Thing ${at}` },
  }))
  const body = { groups: [{ id: 'things', label: { en: 'Things' }, scopes }] }
  backend.always('GET /scopes', { status: 200, body })
  const { tab, page } = await open({ lang: 'en', backend })
  await tab.openCreate()
  const search = tab.createDialog.getByRole('searchbox', { name: 'Search permissions' })
  const chosen = () => page.locator('[data-note=count]').innerText()
  await search.fill('thing1')
  await page.locator('#scopes-all').click()
  expect(await chosen()).toBe('11 selected')
  await search.press('Enter')
  await search.fill('zzz')
  const said = tab.text('form.scopes.unmatched', { q: 'zzz' })
  expect(await page.locator('[data-note=unmatched]').innerText()).toBe(said)
  await expect.poll(() => tab.heard(said)).toBe(true)
  expect(sent(backend)).toEqual([])
})

test('the request holds what was chosen and nothing leaks beside it', async () => {
  const { tab, backend } = await open({
    before: () => {
      customElements.whenDefined('api-keys-tab').then(() => {
        for (const element of document.querySelectorAll('api-keys-tab')) {
          element.getHeaders = async () => ({ 'X-CSRF-Token': 'token-1' })
        }
      })
      const { fetch } = window
      window.fetch = (input, init) => {
        if (init?.method === 'POST')
          document.title = `${init.cache} ${init.credentials} ${init.redirect} ${init.referrerPolicy}`
        return fetch(input, init)
      }
    },
  })
  await tab.send({ name: ' CRM ', environment: 'test', scopes: ['orders.write', 'contacts.read'] })
  await tab.banners.first().waitFor()
  const [request] = sent(backend)
  expect(request?.body).toEqual({
    name: 'CRM',
    environment: 'test',
    scopes: ['contacts.read', 'orders.write'],
  })
  expect(request?.search).toBe('')
  expect(request?.headers).toMatchObject({
    'x-csrf-token': 'token-1',
    'content-type': 'application/json',
  })
  expect(request?.headers['referer']).toBeUndefined()
  expect(await tab.page.title()).toBe('no-store same-origin error no-referrer')
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
