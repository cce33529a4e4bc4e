import { expect, test } from 'vitest'
import { ScriptedBackend } from '../support/settings-tab/backend.ts'
import { tabTests } from '../support/settings-tab/browser.ts'
import { ago, keyOf, manyKeys } from '../support/settings-tab/keys.ts'
import { drawnOrder, styleOf } from '../support/settings-tab/measure.ts'

const { open } = tabTests()
const languages = ['ar', 'en'] as const

test.each(languages)('1: heading, New key and the columns in order (%s)', async (lang) => {
  const { tab, page } = await open({ lang })
  const heading = page.getByRole('heading', { level: 2 })
  expect(await heading.textContent()).toContain(tab.strings.title)
  expect(await tab.newKey.textContent()).toContain(tab.strings.new)
  const headers = await page.getByRole('columnheader').allTextContents()
  expect(headers.map((text) => text.trim())).toEqual(
    lang === 'ar'
      ? ['الاسم', 'المفتاح', 'النوع', 'آخر استخدام', 'مرات الاستخدام', 'الحالة', 'الإجراءات']
      : ['Name', 'Key', 'Type', 'Last used', 'Uses', 'Status', 'Actions'],
  )
})

test.each(languages)(
  '2: twelve characters, then the ellipsis on their right (%s)',
  async (lang) => {
    const { tab } = await open({ lang })
    const key = tab.row('key_store').locator('[part=key]')
    expect(await key.textContent()).toBe('svc_live_a1b…')
    expect(await drawnOrder(key)).toBe('svc_live_a1b…')
  },
)

test('3: names are text', async () => {
  const name = '<img src=x onerror="document.title=1"><b>x</b>'
  const keys = [keyOf({ id: 'key_1', name, creator: { id: 'u', name } })]
  const { tab, page } = await open({ backend: new ScriptedBackend(keys) })
  const row = tab.row('key_1')
  expect(await row.locator('[part=name]').textContent()).toBe(name)
  expect(await row.locator('[part=creator]').textContent()).toBe(`بواسطة ${name}`)
  expect(await row.locator('img, b').count()).toBe(0)
  expect(await page.title()).not.toBe('1')
})

test('4: a name cannot reorder itself or its neighbours', async () => {
  const keys = [
    keyOf({ id: 'key_1', name: '\u202Egnp.exe\u2066', creator: { id: 'u', name: '\u202Eab' } }),
  ]
  const { tab } = await open({ backend: new ScriptedBackend(keys) })
  const row = tab.row('key_1')
  expect(await row.locator('[part=name]').textContent()).toBe('\uFFFDgnp.exe\uFFFD')
  expect(await drawnOrder(row.locator('[part=name]'))).toContain('gnp.exe')
  expect(await row.locator('[part=creator]').textContent()).toBe('بواسطة \uFFFDab')
})

test.each(languages)('5: badges by word, buttons on active keys only (%s)', async (lang) => {
  const { tab } = await open({ lang })
  const { strings } = tab
  const badge = (id: string) => tab.row(id).locator('[part~=badge]').textContent()
  expect(await badge('key_store')).toBe(strings['env.live'])
  expect(await badge('key_test')).toBe(strings['env.test'])
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

test('6: last use as people say it, in full on the element', async () => {
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
  expect(await shown('key_never')).toBe('لم يُستخدم بعد')
  expect(await shown('key_now')).toBe('قبل 12 دقيقة')
  expect(await shown('key_day')).toBe('أمس')
  expect(await shown('key_days')).toBe('أول أمس')
  // Half past ten in the evening UTC is the next day in Riyadh.
  expect(await shown('key_months')).toBe('6 مايو 2026\nلم يُستخدم منذ أكثر من 90 يومًا')
  const time = tab.row('key_now').locator('time')
  expect(await time.getAttribute('datetime')).toBe(ago.minutes(12))
  expect(await time.getAttribute('title')).toMatch(/السبت، 21 نوفمبر 2026.*3:53/)
})

test('7: uses line up at the right, in the digits of the language', async () => {
  const keys = [0, 11, 1_284_302].map((uses) => keyOf({ id: `key_${uses}`, uses }))
  const { tab } = await open({ backend: new ScriptedBackend(keys) })
  const cell = (uses: number) => tab.row(`key_${uses}`).locator('.uses')
  expect(await cell(1_284_302).textContent()).toBe('1,284,302')
  const rights = await Promise.all(
    [0, 11, 1_284_302].map((uses) =>
      cell(uses).evaluate((node) => node.getBoundingClientRect().right),
    ),
  )
  expect(new Set(rights.map(Math.round)).size).toBe(1)
  expect(await styleOf(tab.row('key_0').locator('td.number'), 'text-align')).toBe('right')
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
  await page.locator('[data-act=more]').click()
  await expect.poll(() => tab.rows.count()).toBe(70)
  await page.locator('#filter').selectOption('test')
  await expect.poll(() => page.locator('.panel').count()).toBe(1)
  await page.locator('#filter').selectOption('all')
  await page.getByRole('searchbox').fill('server 8(')
  await expect
    .poll(() => page.locator('.panel').textContent())
    .toContain('No keys match “server 8(”.')
  await page.getByRole('searchbox').fill('SVC_LIVE_008')
  await expect.poll(() => tab.rows.count()).toBe(2)
})

test('a long list that may only be read has its search too', async () => {
  const { page } = await open({ backend: new ScriptedBackend(manyKeys(8)), attributes: 'readonly' })
  await page.locator('#search').waitFor()
})
