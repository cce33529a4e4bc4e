import { expect, test } from 'vitest'
import { many, type ScriptedBackend } from '../support/settings-tab/backend.ts'
import { tabTests } from '../support/settings-tab/browser.ts'
import { allScopes, catalogue } from '../support/settings-tab/catalogue.ts'
import { styleOf } from '../support/settings-tab/measure.ts'

const { open } = tabTests()
const sent = (backend: ScriptedBackend) => backend.requests('POST /keys')

test('13: an empty form says what is missing, and asks nobody', async () => {
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

test('the search of scopes has a label that stays', async () => {
  const { tab, page } = await open({ theme: 'dark' })
  await tab.openCreate()
  const field = tab.createDialog.getByLabel('البحث في الصلاحيات')
  await field.fill('طلبات')
  expect(await tab.words('البحث في الصلاحيات').isVisible()).toBe(true)
  expect(await page.locator('input[placeholder]').count()).toBe(0)
})

test.each(['ar', 'en'] as const)('an empty field runs as its language does (%s)', async (lang) => {
  const backend = many(9)
  const { tab, page } = await open({ lang, backend })
  const directions = () =>
    page
      .locator(':is(input[type=text], input[type=search])')
      .evaluateAll((fields) => fields.map((field) => getComputedStyle(field).direction))
  await page.locator('#search').waitFor()
  await tab.openCreate()
  const own = lang === 'ar' ? 'rtl' : 'ltr'
  expect(await directions()).toEqual([own, own, own, own])
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

test('14: 120 characters as people count them, none cut in silence', async () => {
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
  await name.fill('x'.repeat(110))
  expect(await page.locator('.counter').textContent()).toBe('بقيت 10 أحرف')
  await name.fill('x'.repeat(123))
  const tooMany = tab.text('v.name.over', { n: 3 })
  expect(await page.locator('.counter').textContent()).toBe(tooMany)
  expect(await name.getAttribute('aria-invalid')).toBe('true')
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
  '15: eleven groups and 24 boxes, codes always Latin (%s)',
  async (lang) => {
    const { tab } = await open({ lang })
    await tab.openCreate()
    const groups = tab.createDialog.locator('[part=scope-group]')
    expect(await groups.locator('legend .box').allInnerTexts()).toEqual(
      catalogue.groups.map(({ label }) => label[lang]),
    )
    const scopes = tab.createDialog.locator('[part=scope]')
    expect(await scopes.locator('.scope-text > span').allInnerTexts()).toEqual(
      catalogue.groups.flatMap(({ scopes }) => scopes.map(({ label }) => label[lang])),
    )
    expect(await scopes.locator('[part=scope-code]').allInnerTexts()).toEqual([...allScopes])
    expect(allScopes).toHaveLength(24)
    expect(await styleOf(scopes.locator('bdi').first(), 'direction')).toBe('ltr')
  },
)

test('16: boxes for all, for a group, and for reading', async () => {
  const { tab, page } = await open()
  await tab.openCreate()
  const all = page.locator('#scopes-all')
  const chosen = () => tab.createDialog.locator('[data-scope]:checked').count()
  const mixed = (box: typeof all) =>
    box.evaluate((node) => (node as HTMLInputElement).indeterminate)
  await all.check()
  expect(await chosen()).toBe(24)
  expect(await page.locator('[data-note=full-access]').textContent()).toContain('قراءة كل بياناتك')
  await all.uncheck()
  expect(await chosen()).toBe(0)
  await page.locator('[data-scope="contacts.read"]').check()
  const group = page.locator('[data-group=contacts]')
  expect([await mixed(all), await mixed(group)]).toEqual([true, true])
  expect(await page.locator('[data-note=count]').innerText()).toBe('تم تحديد صلاحية واحدة')
  await group.press('Space')
  expect(await chosen()).toBe(2)
  await group.press('Space')
  expect(await chosen()).toBe(0)
  await page.locator('[data-act=read-only]').click()
  expect(await chosen()).toBe(13)
  await page.locator('[data-act=clear]').click()
  expect(await chosen()).toBe(0)
  await expect.poll(() => tab.heard('لم تُحدَّد أي صلاحية')).toBe(true)
})

test('16: while a search hides scopes, a box for many takes those that are shown', async () => {
  const { tab, page } = await open({ lang: 'en' })
  await tab.openCreate()
  const chosen = () => page.locator('[data-note=count]').innerText()
  const words = (box: string) => tab.createDialog.locator('label', { has: page.locator(box) })
  await page.locator('[data-scope="leads.read"]').check()
  await tab.createDialog.getByRole('searchbox').fill('read')
  expect(await words('[data-group=messages]').innerText()).toBe('Messages (2 shown)')
  expect(await words('#scopes-all').innerText()).toBe('Select all (13 shown)')
  await page.locator('[data-group=messages]').check()
  expect(await chosen()).toBe('3 scopes selected')
  await page.locator('#scopes-all').check()
  expect(await chosen()).toBe('13 scopes selected')
  await page.locator('#scopes-all').uncheck()
  await tab.createDialog.getByRole('searchbox').fill('messages')
  await page.locator('[data-act=read-only]').click()
  expect(await chosen()).toBe('2 scopes selected')
})

test('16: a search of scopes that finds none says so', async () => {
  const { tab, page } = await open()
  await tab.openCreate()
  await tab.createDialog.getByRole('searchbox').fill('zzz')
  const said = tab.text('create.scopes.unmatched', { q: 'zzz' })
  expect(await page.locator('[data-note=unmatched]').innerText()).toBe(said)
  await expect.poll(() => tab.heard(said)).toBe(true)
})

test('16: Enter in the search of scopes makes no key', async () => {
  const { tab, page, backend } = await open()
  await tab.openCreate()
  await tab.fill()
  const search = tab.createDialog.getByRole('searchbox')
  await search.fill('orders')
  await search.press('Enter')
  await page.waitForTimeout(50)
  expect(await tab.createDialog.isVisible()).toBe(true)
  expect(sent(backend)).toEqual([])
})

test('17: the request holds what was chosen and nothing leaks beside it', async () => {
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

test('18: a double click and a held Enter make one key', async () => {
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
