import { expect, test } from 'vitest'
import { many, ScriptedBackend } from '../support/settings-tab/backend.ts'
import { tabTests } from '../support/settings-tab/browser.ts'
import { ago, ahead, keyOf, now } from '../support/settings-tab/keys.ts'
import { drawnOrder } from '../support/settings-tab/measure.ts'
import { plain } from '../support/settings-tab/tab-page.ts'

const { open } = tabTests()

test.each(['ar', 'en'] as const)('heading, columns, badges and buttons (%s)', async (lang) => {
  const { tab, page } = await open({ lang })
  const { strings } = tab
  expect(await page.getByRole('heading', { level: 2 }).textContent()).toContain(strings.title)
  expect(await tab.newKey.textContent()).toContain(strings.new)
  const headers = await page.getByRole('columnheader').allTextContents()
  expect(headers.map((text) => text.trim())).toEqual(
    lang === 'ar'
      ? ['الاسم', 'المفتاح', 'النوع', 'آخر استخدام', 'المرات', 'الحالة', 'الإجراءات']
      : ['Name', 'Key', 'Type', 'Last used', 'Uses', 'Status', 'Actions'],
  )
  const key = tab.row('key_store').locator('[part=key]')
  expect(await key.textContent()).toBe('svc_live_a1b…')
  expect(await drawnOrder(key)).toBe('svc_live_a1b…')
  expect(await key.getAttribute('translate')).toBe('no')
  const badge = (id: string) => tab.row(id).locator('[part~=badge]').textContent()
  expect([await badge('key_store'), await badge('key_test')]).toEqual([
    strings['env.live'],
    strings['env.test'],
  ])
  const buttons = tab.row('key_test').locator('.actions').getByRole('button')
  expect(await buttons.allTextContents()).toEqual([
    expect.stringContaining(strings.rotate),
    expect.stringContaining(strings.revoke),
    expect.stringMatching(/^\s*$/),
  ])
  const label = await buttons.first().getAttribute('aria-label')
  expect(plain(label ?? '')).toBe(tab.text('rotate.sr', { name: 'CRM sync (staging)' }))
})

test('names are text, which cannot reorder itself or its neighbours', async () => {
  const markup = '<img src=x onerror="document.title=1"><b>x</b>'
  const keys = [
    keyOf({ id: 'key_1', name: markup, creator: { id: 'u', name: markup } }),
    keyOf({ id: 'key_2', name: '\u202Egnp.exe\u2066', creator: { id: 'u', name: '\u202Eab' } }),
    keyOf({ id: 'key_3', name: '\u200Fمتجر\u200E CRM' }),
  ]
  const backend = new ScriptedBackend(keys)
  const { tab, page } = await open({ backend })
  const partOf = (id: string, part: string) => tab.row(id).locator(`[part=${part}]`)
  expect(await partOf('key_1', 'name').textContent()).toBe(markup)
  expect(await partOf('key_1', 'creator').textContent()).toBe(`بواسطة ${markup}`)
  expect(await tab.row('key_1').locator('img, b').count()).toBe(0)
  expect(await page.title()).not.toBe('1')
  expect(await partOf('key_2', 'name').textContent()).toBe('\uFFFDgnp.exe\uFFFD')
  expect(await drawnOrder(partOf('key_2', 'name'))).toContain('gnp.exe')
  expect(await partOf('key_2', 'creator').textContent()).toBe('بواسطة \uFFFDab')
  // Direction marks are neither drawn nor sent.
  expect(await partOf('key_3', 'name').textContent()).toBe('متجر CRM')
  await tab.createKey({ name: '\u200Fمتجر' })
  expect(backend.requests('POST /keys')[0]?.body).toMatchObject({ name: 'متجر' })
})

test('last use as people say it, in full on the element', async () => {
  const at = (id: string, lastUsedAt: string | null) => keyOf({ id, lastUsedAt })
  const keys = [
    at('key_never', null),
    at('key_now', ago.minutes(12)),
    at('key_days', ago.days(2)),
    at('key_months', '2026-05-05T22:30:00Z'),
  ]
  const attributes = 'time-zone="Asia/Riyadh"'
  const { tab } = await open({ backend: new ScriptedBackend(keys), attributes })
  const shown = (id: string) => tab.row(id).locator('.c-last').innerText()
  expect(await shown('key_never')).toBe('لم يُستخدم')
  expect(await shown('key_now')).toBe('قبل 12 دقيقة')
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
  const million = tab.row('key_1284302').locator('.uses')
  expect(await million.textContent()).toBe('1,284,302')
  const ends = await tab.rows
    .locator('.uses')
    .evaluateAll((nodes) => nodes.map((node) => node.getBoundingClientRect().left))
  expect(Math.max(...ends) - Math.min(...ends)).toBeLessThan(1)
  await tab.host.evaluate((element) => element.setAttribute('lang', 'ar-u-nu-arab'))
  await expect.poll(() => million.textContent()).toBe('١٬٢٨٤٬٣٠٢')
})

test('a row says what is to come of its key', async () => {
  const noura = { id: 'u_1', name: 'نورة' }
  const keys = [
    keyOf({ id: 'key_soon', expiresAt: ahead(5) }),
    keyOf({ id: 'key_later', expiresAt: ahead(20) }),
    keyOf({ id: 'key_gone', status: 'expired', expiresAt: ago.days(3) }),
    keyOf({ id: 'key_p', status: 'paused', pausedBy: { id: 'u_2', name: 'Omar' } }),
    keyOf({ id: 'key_own', status: 'paused', pausedBy: noura, creator: noura }),
  ]
  const attributes = 'user-id="u_1"'
  const { tab } = await open({ lang: 'en', backend: new ScriptedBackend(keys), attributes })
  await tab.unfold()
  const due = (id: string) => tab.row(id).locator('.due')
  expect(await due('key_soon').innerText()).toBe('expires in 5 days')
  expect(await due('key_soon').getAttribute('class')).toContain('soon')
  expect(await due('key_later').getAttribute('class')).not.toContain('soon')
  expect(await due('key_gone').innerText()).toBe('Nov 18, 2026')
  expect(await due('key_p').innerText()).toBe('paused by Omar')
  expect(await tab.row('key_gone').locator('[part=rotate-button]').count()).toBe(0)
  await tab.set({ lang: 'ar' })
  await expect.poll(() => due('key_own').innerText()).toBe('أُوقف بواسطتك')
  expect(await tab.row('key_own').locator('[part=creator]').innerText()).toBe('بواسطتك')
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
  backend.keys = backend.keys.map((key) => {
    if (key.id === 'key_2') return { ...key, status: 'revoked', revokedAt: end }
    return key.id === 'key_3' ? { ...key, status: 'expired' } : key
  })
  await page.clock.runFor(60_100)
  await tab.unfold()
  expect(await tab.status('key_2').innerText()).toBe('Revoked')
  expect(await tab.status('key_3').innerText()).toBe('Expired')
  expect(await tab.row('key_2').locator('[part=stop-button]').count()).toBe(0)
})

test('what is cut off has its whole text in a tooltip that the keyboard reaches', async () => {
  const name = 'Warehouse-synchronisation-server-of-the-northern-region'.repeat(2)
  const keys = [keyOf({ id: 'key_1', name }), keyOf({ id: 'key_2', name: 'CRM' })]
  const idle = keyOf({ id: 'key_3', name, lastUsedAt: ago.days(100) })
  const { tab, page } = await open({ lang: 'en', backend: new ScriptedBackend([...keys, idle]) })
  const tip = page.locator('#tip')
  await tab.row('key_1').locator('.name-button').focus()
  await expect.poll(() => tip.innerText()).toContain(name)
  await tab.row('key_2').locator('.name-button').focus()
  await expect.poll(() => tip.isVisible()).toBe(false)
  await tab.row('key_2').locator('time').focus()
  await expect.poll(() => tip.innerText()).toContain('November 21, 2026')
  await page.setViewportSize({ width: 360, height: 800 })
  await tab.row('key_3').locator('.name-button').focus()
  await expect.poll(() => tip.innerText()).toContain('Unused for over 90 days')
})

test('a keystroke in a dialog draws no row', async () => {
  const { tab, page } = await open({ backend: many(200) })
  await tab.openCreate()
  await page.locator('#create-expiry').selectOption('date')
  // Each row that is drawn writes dates.
  await page.evaluate(() => {
    const { format } = Intl.RelativeTimeFormat.prototype
    document.title = ''
    Intl.RelativeTimeFormat.prototype.format = function (...asked: Parameters<typeof format>) {
      document.title += '.'
      return format.apply(this, asked)
    }
  })
  await page.locator('#create-name').pressSequentially('abc')
  // The choices of the expiry alone.
  expect((await page.title()).length).toBeLessThanOrEqual(3 * 4)
})
