import { expect, test } from 'vitest'
import { ScriptedBackend } from '../support/settings-tab/backend.ts'
import { tabTests } from '../support/settings-tab/browser.ts'
import { ago, keyOf, manyKeys } from '../support/settings-tab/keys.ts'
import { drawnOrder } from '../support/settings-tab/measure.ts'

const { open } = tabTests()
const languages = ['ar', 'en'] as const

test.each(languages)('heading, New key and the columns in order (%s)', async (lang) => {
  const { tab, page } = await open({ lang })
  const heading = page.getByRole('heading', { level: 2 })
  expect(await heading.textContent()).toContain(tab.strings.title)
  expect(await tab.newKey.textContent()).toContain(tab.strings.new)
  const headers = await page.getByRole('columnheader').allTextContents()
  expect(headers.map((text) => text.trim())).toEqual(
    lang === 'ar'
      ? ['الاسم', 'المفتاح', 'النوع', 'آخر استخدام', 'المرات', 'الحالة', 'الإجراءات']
      : ['Name', 'Key', 'Type', 'Last used', 'Uses', 'Status', 'Actions'],
  )
})

test.each(languages)('twelve characters, then the ellipsis on their right (%s)', async (lang) => {
  const { tab } = await open({ lang })
  const key = tab.row('key_store').locator('[part=key]')
  expect(await key.textContent()).toBe('svc_live_a1b…')
  expect(await drawnOrder(key)).toBe('svc_live_a1b…')
})

test('names are text', async () => {
  const name = '<img src=x onerror="document.title=1"><b>x</b>'
  const keys = [keyOf({ id: 'key_1', name, creator: { id: 'u', name } })]
  const { tab, page } = await open({ backend: new ScriptedBackend(keys) })
  const row = tab.row('key_1')
  expect(await row.locator('[part=name]').textContent()).toBe(name)
  expect(await row.locator('[part=creator]').textContent()).toBe(`بواسطة ${name}`)
  expect(await row.locator('img, b').count()).toBe(0)
  expect(await page.title()).not.toBe('1')
})

test('a name cannot reorder itself or its neighbours', async () => {
  const keys = [
    keyOf({ id: 'key_1', name: '\u202Egnp.exe\u2066', creator: { id: 'u', name: '\u202Eab' } }),
  ]
  const { tab } = await open({ backend: new ScriptedBackend(keys) })
  const row = tab.row('key_1')
  expect(await row.locator('[part=name]').textContent()).toBe('\uFFFDgnp.exe\uFFFD')
  expect(await drawnOrder(row.locator('[part=name]'))).toContain('gnp.exe')
  expect(await row.locator('[part=creator]').textContent()).toBe('بواسطة \uFFFDab')
})

test.each(languages)('badges by word, buttons on active keys only (%s)', async (lang) => {
  const { tab } = await open({ lang })
  const { strings } = tab
  const badge = (id: string) => tab.row(id).locator('[part~=badge]').textContent()
  expect(await badge('key_store')).toBe(strings['env.live'])
  expect(await badge('key_test')).toBe(strings['env.test'])
  await tab.unfold()
  const status = tab.status('key_old')
  expect(await status.textContent()).toBe(strings['status.revoked'])
  expect(
    await tab.row('key_old').locator('[part=rotate-button], [part=revoke-button]').count(),
  ).toBe(0)
  const buttons = tab.row('key_test').locator('.actions').getByRole('button')
  expect(await buttons.allTextContents()).toEqual([
    expect.stringContaining(strings.rotate),
    expect.stringContaining(strings.revoke),
    expect.stringMatching(/^\s*$/),
  ])
  const named = tab.text('rotate.sr', { name: 'CRM sync (staging)' })
  expect((await buttons.first().getAttribute('aria-label'))?.replace(/[\u2066-\u2069]/g, '')).toBe(
    named,
  )
})

test('last use as people say it, in full on the element', async () => {
  const at = (id: string, lastUsedAt: string | null) => keyOf({ id, lastUsedAt })
  const keys = [
    at('key_never', null),
    at('key_now', ago.minutes(12)),
    at('key_day', ago.minutes(60 * 25)),
    at('key_days', ago.days(2)),
    at('key_months', '2026-05-05T22:30:00Z'),
  ]
  const { tab } = await open({
    backend: new ScriptedBackend(keys),
    attributes: 'time-zone="Asia/Riyadh"',
  })
  const shown = (id: string) => tab.row(id).locator('.c-last').innerText()
  expect(await shown('key_never')).toBe('لم يُستخدم')
  expect(await shown('key_now')).toBe('قبل 12 دقيقة')
  expect(await shown('key_day')).toBe('أمس')
  expect(await shown('key_days')).toBe('أول أمس')
  // Half past ten in the evening UTC is the next day in Riyadh.
  expect(await shown('key_months')).toBe('6 مايو 2026')
  expect(await tab.row('key_months').innerText()).toContain('لم يُستخدم منذ أكثر من 90 يومًا')
  const time = tab.row('key_now').locator('time')
  expect(await time.getAttribute('datetime')).toBe(ago.minutes(12))
  expect(await time.getAttribute('title')).toMatch(/^21 نوفمبر 2026.*3:53/)
})

test('uses line up at their end, in the digits of the language', async () => {
  const keys = [0, 11, 1_284_302].map((uses) => keyOf({ id: `key_${uses}`, uses }))
  const { tab } = await open({ backend: new ScriptedBackend(keys) })
  const cell = (uses: number) => tab.row(`key_${uses}`).locator('.uses')
  expect(await cell(1_284_302).textContent()).toBe('1,284,302')
  const rights = await Promise.all(
    [0, 11, 1_284_302].map((uses) =>
      cell(uses).evaluate((node) => node.getBoundingClientRect().left),
    ),
  )
  expect(Math.max(...rights) - Math.min(...rights)).toBeLessThan(1)
  await tab.host.evaluate((element) => element.setAttribute('lang', 'ar-u-nu-arab'))
  await expect.poll(() => cell(1_284_302).textContent()).toBe('١٬٢٨٤٬٣٠٢')
})

test('a long list can be searched, filtered and continued', async () => {
  const backend = new ScriptedBackend([
    ...manyKeys(9),
    keyOf({ id: 'key_gone', name: 'Gone', status: 'revoked', revokedAt: ago.days(1) }),
    ...manyKeys(60).map((key) => ({ ...key, id: `${key.id}_b`, name: `Later ${key.name}` })),
  ])
  backend.activeKeyLimit = null
  const { tab, page } = await open({ lang: 'en', backend })
  expect(await tab.rows.count()).toBe(50)
  expect(await page.locator('[data-note=total]').innerText()).toBe('50 of 69')
  await page.locator('[data-act=more]').click()
  await expect.poll(() => tab.rows.count()).toBe(69)
  await page.locator('#filter').selectOption('test')
  await expect.poll(() => page.locator('.slim').innerText()).toContain('No keys match this filter.')
  await page.locator('#filter').selectOption('all')
  await page.getByRole('searchbox').fill('server 8(')
  await expect.poll(() => page.locator('.slim').innerText()).toContain('No keys match “server 8(”.')
  await page.getByRole('searchbox').fill('SVC_LIVE_008')
  await expect.poll(() => tab.rows.count()).toBe(2)
})

test('the search is there from 15 keys on, also where they may only be read', async () => {
  const opened = async (count: number, attributes = '') => {
    const { page } = await open({ backend: new ScriptedBackend(manyKeys(count)), attributes })
    return page.locator('#search').count()
  }
  expect(await opened(14)).toBe(0)
  expect(await opened(15)).toBe(1)
  expect(await opened(15, 'readonly')).toBe(1)
})

test('keys that no longer work are folded, and counted by the server', async () => {
  const ended = manyKeys(60, { status: 'revoked', revokedAt: ago.days(1) })
  const keys = [...ended.map((key) => ({ ...key, id: `${key.id}_x` })), ...manyKeys(3)]
  const { tab, page } = await open({ lang: 'en', backend: new ScriptedBackend(keys) })
  expect(await tab.rows.count()).toBe(3)
  expect(await page.locator('#ended').innerText()).toBe('Revoked and expired (60)')
  await tab.unfold()
  expect(await tab.rows.count()).toBe(53)
  await page.locator('[data-act=more]').click()
  await expect.poll(() => tab.rows.count()).toBe(63)
})

test('by you is one word for creator, pause and history in Arabic', async () => {
  const self = { id: 'u_1', name: 'نورة' }
  const paused = keyOf({ id: 'key_p', status: 'paused', pausedBy: self, creator: self })
  const attributes = 'user-id="u_1"'
  const { tab } = await open({ backend: new ScriptedBackend([paused]), attributes })
  const row = await tab.row('key_p').innerText()
  expect(row).toContain('بواسطتك')
  expect(row).toContain('أُوقف بواسطتك')
})

test('what is cut off has its whole text in a tooltip that the keyboard reaches', async () => {
  const name = 'Warehouse-synchronisation-server-of-the-northern-region'.repeat(2)
  const keys = [keyOf({ id: 'key_1', name }), keyOf({ id: 'key_2', name: 'CRM' })]
  const { tab, page } = await open({ lang: 'en', backend: new ScriptedBackend(keys) })
  const tip = page.locator('#tip')
  await tab.row('key_1').locator('.name-button').focus()
  await expect.poll(() => tip.innerText()).toContain(name)
  await tab.row('key_2').locator('.name-button').focus()
  await expect.poll(() => tip.isVisible()).toBe(false)
  await tab.row('key_2').locator('time').focus()
  await expect.poll(() => tip.innerText()).toContain('November 21, 2026')
})
