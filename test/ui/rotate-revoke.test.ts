import { expect, test } from 'vitest'
import { someOf } from '../support/runs.ts'
import { problem, ScriptedBackend } from '../support/settings-tab/backend.ts'
import { tabTests } from '../support/settings-tab/browser.ts'
import { ago, keyOf } from '../support/settings-tab/keys.ts'
import { styleOf } from '../support/settings-tab/measure.ts'
import { plain } from '../support/settings-tab/tab-page.ts'

const { open } = tabTests()

test.each([
  ['light', 'rgb(239, 246, 255)'],
  ['dark', 'rgb(11, 27, 58)'],
] as const)(
  'rotation asks with the facts, then shows the new key in blue (%s)',
  async (theme, blue) => {
    const { tab, page, backend } = await open({ theme })
    await tab.ask('rotate', 'key_store')
    const question = await tab.confirmDialog.innerText()
    for (const fact of ['خادم المتجر', 'svc_live_a1b…', 'قبل 12 دقيقة'])
      expect(question).toContain(fact)
    await page.keyboard.press('Enter')
    await tab.confirmDialog.waitFor({ state: 'hidden' })
    expect(backend.requests('POST')).toEqual([])
    await tab.ask('rotate', 'key_store')
    await tab.confirmDialog.locator('[name=overlap][value="0"]').check()
    await tab.confirm()
    const banner = page.locator('section.rotated')
    await banner.waitFor()
    expect(await banner.innerText()).toContain('تم استبدال المفتاح «خادم المتجر»')
    expect(await banner.innerText()).toContain(tab.strings['rotated.ended'])
    expect(await styleOf(banner, 'background-color')).toBe(blue)
    expect(await tab.secret.textContent()).toBe(backend.secrets[0])
    expect(backend.requests('POST')).toMatchObject([{ path: '/keys/key_store/rotate', body: {} }])
    const first = await tab.rows.first().innerText()
    for (const shown of [`${backend.secrets[0]?.slice(0, 12)}…`, 'خادم المتجر (rotated)'])
      expect(first).toContain(shown)
    await tab.unfold()
    expect(await tab.status('key_store').textContent()).toBe('مُبطَل')
  },
)

test('a rotation shows the name and the brand that the new key will have', async () => {
  const keys = [
    // The family is one character to people, and goes as a whole.
    keyOf({ id: 'key_long', name: `${'a'.repeat(105)}👩‍👩‍👧‍👦bcdef`, prefix: 'acme_live_x1' }),
    // One that another system issued gets a replacement of the host's brand.
    keyOf({ id: 'key_old', name: 'Old', prefix: 'sk_live_1234', format: 'old' }),
  ]
  const { tab, page } = await open({ backend: new ScriptedBackend(keys, { brand: 'acme' }) })
  for (const [id, name] of [
    ['key_long', 'a'.repeat(105)],
    ['key_old', 'Old'],
  ] as const) {
    await tab.ask('rotate', id)
    expect(await page.locator('[data-note=new-name]').innerText()).toBe(`${name} (rotated)`)
    expect(await page.locator('[data-note=new-prefix]').innerText()).toBe('acme_live_…')
    await page.keyboard.press('Escape')
  }
})

test('a rotation can let the old key work on, and says until when', async () => {
  const { tab, page, backend } = await open({ lang: 'en', attributes: 'time-zone="Asia/Riyadh"' })
  await tab.ask('rotate', 'key_store')
  // It was used a few minutes ago.
  expect(await tab.confirmDialog.locator('[name=overlap]:checked').inputValue()).toBe('86400')
  await tab.confirmDialog.getByLabel('Now').check()
  const end = tab.confirmDialog.locator('[data-note=end]')
  const now = 'Key svc_live_a1b… stops working immediately. This is permanent.'
  expect(await end.innerText()).toBe(now)
  expect(await end.locator('bdi').getAttribute('dir')).toBe('ltr')
  await tab.confirmDialog.getByLabel('In 24 hours').check()
  const later = 'The current key svc_live_a1b… works until Nov 22, 4:05 PM, then stops for good.'
  await expect.poll(() => end.innerText()).toBe(later)
  await expect.poll(() => tab.heard(later)).toBe(true)
  await tab.confirm()
  const banner = page.locator('section.rotated')
  await banner.waitFor()
  expect(backend.requests('POST')).toMatchObject([{ body: { overlapSeconds: 86_400 } }])
  for (const place of [banner, tab.row('key_store')]) {
    expect(await place.innerText()).toContain('works until Nov 22, 4:05 PM')
  }
  // The old one ends now.
  await tab.ask('stop', 'key_store')
  expect(await tab.confirmDialog.locator('h2').innerText()).toBe('Stop key “خادم المتجر” now?')
  expect(await tab.confirmDialog.locator('[data-act=confirm]').innerText()).toBe('Stop now')
  await tab.confirm()
  await tab.unfold()
  await expect.poll(() => tab.status('key_store').innerText()).toBe('Revoked')
  expect(await tab.banners.count()).toBe(1)
})

test('an overlap is offered as far as the plan allows it, and not for a paused key', async () => {
  const keys = [keyOf({ id: 'key_a' }), keyOf({ id: 'key_p', status: 'paused' })]
  const { tab, page } = await open({
    backend: new ScriptedBackend(keys, { maxOverlapSeconds: 3_600 }),
  })
  const overlaps = tab.confirmDialog.locator('[name=overlap]')
  await tab.ask('rotate', 'key_a')
  expect(await overlaps.count()).toBe(2)
  expect(await tab.confirmDialog.locator('[name=overlap]:checked').inputValue()).toBe('0')
  await page.keyboard.press('Escape')
  await tab.ask('rotate', 'key_p')
  expect(await overlaps.count()).toBe(0)
  const end = tab.text('revoke.body', { prefix: 'svc_live_a1b…' })
  expect(await tab.confirmDialog.locator('#rotation-end').innerText()).toContain(end)
})

const nowhere = { status: 404, body: 'no such page' }
const failures = [
  ['rotate', 'cut', 'e.unknown'],
  ['rotate', problem(403, 'forbidden'), 'e.forbidden'],
  ['rotate', nowhere, 'none'],
  ['revoke', 'cut', 'e.unknown'],
  ['revoke', nowhere, 'why.outage'],
  ['revoke', problem(429, 'rate_limited'), 'e.rate'],
] as const

test.each(someOf(failures))(
  'a failed %s (%#) stays in the dialog and can be tried again',
  async (action, reply, id) => {
    const { tab, backend } = await open({ lang: 'en' })
    backend.next(`POST /keys/key_store/${action}`, reply)
    await tab.ask(action, 'key_store')
    await tab.confirm()
    await expect
      .poll(() => tab.alert.innerText())
      .toContain(tab.text(id, { time: 'in 10 seconds' }))
    await expect.poll(() => tab.focused()).toBe('error-message')
    expect(await tab.status('key_store').textContent()).toBe('Active')
    await tab.confirm()
    await tab.confirmDialog.waitFor({ state: 'hidden' })
    if (action === 'revoke') await tab.unfold()
    const status = action === 'revoke' ? 'Revoked' : 'Being replaced'
    await expect.poll(() => tab.status('key_store').textContent()).toBe(status)
  },
)

test('a revoked key stays in the list without buttons', async () => {
  const { tab, backend } = await open()
  await tab.ask('revoke', 'key_store')
  const question = await tab.confirmDialog.innerText()
  for (const fact of ['خادم المتجر', 'svc_live_a1b…', 'قبل 12 دقيقة'])
    expect(question).toContain(fact)
  expect(question).not.toContain('إلغاء')
  await tab.confirm()
  await expect.poll(() => tab.focused()).toBe('ended')
  await tab.unfold()
  const row = tab.row('key_store')
  await expect.poll(() => tab.status('key_store').textContent()).toBe('مُبطَل')
  expect(await row.innerText()).toContain('21 نوفمبر 2026')
  expect(await row.locator('[part=rotate-button], [part=revoke-button]').count()).toBe(0)
  await expect.poll(() => tab.allowance.innerText()).toBe('1 من 5 مفاتيح نشطة')
  expect(backend.requests('POST')).toMatchObject([{ path: '/keys/key_store/revoke', body: {} }])
})

test('revoking an expired key does not say that it stops working', async () => {
  const keys = [keyOf({ id: 'key_e', name: 'E', status: 'expired', expiresAt: ago.days(3) })]
  const { tab } = await open({ backend: new ScriptedBackend(keys) })
  await tab.ask('revoke', 'key_e')
  const text = await tab.confirmDialog.locator('#confirm-body').innerText()
  expect(plain(text)).toBe(tab.text('revoke.expired', { prefix: 'svc_live_a1b…' }))
})

test.each([
  ['rotate', 'was revoked elsewhere'],
  ['rotate', 'is unknown'],
  ['revoke', 'is unknown'],
] as const)('%s of a key that %s says so, and the list is fresh', async (action, happened) => {
  const { tab, backend } = await open()
  if (happened === 'is unknown') backend.keys = backend.keys.slice(1)
  else backend.revokeElsewhere('key_store')
  await tab.ask(action, 'key_store')
  await tab.confirm()
  await tab.confirmDialog.waitFor({ state: 'hidden' })
  const told =
    happened === 'is unknown'
      ? `${tab.strings.none} ${tab.strings['why.missing']}`
      : tab.text('e.gone', { name: 'خادم المتجر' })
  await expect.poll(async () => plain(await tab.notice.innerText())).toBe(told)
  await expect.poll(() => tab.heard(told)).toBe(true)
  await expect.poll(() => tab.row('key_store').count()).toBe(0)
  await expect.poll(() => tab.focused()).toBe('ended')
  expect(backend.requests('GET /keys')).toHaveLength(4)
})
