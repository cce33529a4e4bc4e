import { expect, test } from 'vitest'
import { someOf } from '../support/runs.ts'
import { problem } from '../support/settings-tab/backend.ts'
import { tabTests } from '../support/settings-tab/browser.ts'
import { styleOf } from '../support/settings-tab/measure.ts'

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
    expect(await banner.innerText()).toContain(tab.strings['rotated.body'])
    expect(await styleOf(banner, 'background-color')).toBe(blue)
    expect(await tab.secret.textContent()).toBe(backend.secrets[0])
    await expect.poll(() => tab.focused()).toMatch(/^copy-/)
    expect(backend.requests('POST')).toMatchObject([{ path: '/keys/key_store/rotate', body: {} }])
    const first = tab.rows.first()
    expect(await first.locator('[part=key]').textContent()).toBe(
      `${backend.secrets[0]?.slice(0, 12)}…`,
    )
    expect(await first.locator('[part=name]').textContent()).toBe('خادم المتجر (rotated)')
    await tab.unfold()
    expect(await tab.status('key_store').textContent()).toBe('مُبطَل')
    await expect
      .poll(() => tab.heard('تم استبدال المفتاح «خادم المتجر». انسخ المفتاح الجديد الآن.'))
      .toBe(true)
  },
)

const failures = [
  ['rotate', { status: 500, body: null }, 'e.unknown.rotate'],
  ['rotate', 'cut', 'e.unknown.rotate'],
  ['rotate', problem(403, 'forbidden'), 'e.forbidden'],
  ['rotate', problem(500, 'outcome_unknown'), 'e.unknown.rotate'],
  ['rotate', { status: 404, body: 'no such page' }, 'none'],
  ['revoke', { status: 500, body: null }, 'e.unknown.change'],
  ['revoke', 'cut', 'e.unknown.change'],
  ['revoke', problem(500, 'outcome_unknown'), 'e.unknown.change'],
  ['revoke', { status: 404, body: 'no such page' }, 'none'],
  ['revoke', { status: 404, body: 'no such page' }, 'why.address'],
  ['revoke', problem(429, 'rate_limited'), 'e.rate'],
] as const

test.each(someOf(failures))(
  'a failed %s (%#) stays in the dialog and can be tried again',
  async (action, reply, id) => {
    const { tab, backend } = await open({ lang: 'en' })
    backend.next(`POST /keys/key_store/${action}`, reply)
    await tab.ask(action, 'key_store')
    await tab.confirm()
    const alert = tab.confirmDialog.getByRole('alert')
    await expect.poll(() => alert.innerText()).toContain(tab.text(id, { n: 10 }))
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
  const { tab, page, backend } = await open()
  await tab.ask('revoke', 'key_store')
  const question = await tab.confirmDialog.innerText()
  for (const fact of ['خادم المتجر', 'svc_live_a1b…', 'قبل 12 دقيقة'])
    expect(question).toContain(fact)
  expect(question).not.toContain('إلغاء')
  expect(await tab.focused()).toBe('secondary-button')
  await tab.confirm()
  await expect.poll(() => tab.focused()).toBe('ended')
  await tab.unfold()
  const row = tab.row('key_store')
  await expect.poll(() => row.locator('[part~=status]').textContent()).toBe('مُبطَل')
  expect(await row.innerText()).toContain('21 نوفمبر 2026')
  expect(await row.locator('[part=rotate-button], [part=revoke-button]').count()).toBe(0)
  expect((await page.locator('[part=allowance-value]').textContent())?.trim()).toBe(
    '1 من 5 مفاتيح نشطة',
  )
  await expect.poll(() => tab.heard('تم إبطال المفتاح «خادم المتجر».')).toBe(true)
  expect(backend.requests('POST')).toMatchObject([{ path: '/keys/key_store/revoke', body: {} }])
  expect(await tab.events('api-key-revoked')).toMatchObject([{ id: 'key_store' }])
})

test('a key that was revoked elsewhere is announced, and the list is fresh', async () => {
  const { tab, backend } = await open()
  backend.revokeElsewhere('key_store')
  await tab.ask('rotate', 'key_store')
  await tab.confirm()
  await tab.confirmDialog.waitFor({ state: 'hidden' })
  const gone = tab.text('e.gone', { name: 'خادم المتجر' })
  await tab.words(gone).first().waitFor()
  await expect.poll(() => tab.row('key_store').count()).toBe(0)
  await expect.poll(() => tab.heard(gone)).toBe(true)
  await expect.poll(() => tab.focused()).toBe('ended')
  expect(backend.requests('GET /keys')).toHaveLength(4)
})

test.each(['rotate', 'revoke'] as const)(
  'a key that the server does not know is not called revoked (%s)',
  async (action) => {
    const { tab, backend } = await open()
    backend.keys = backend.keys.filter(({ id }) => id !== 'key_store')
    await tab.ask(action, 'key_store')
    await tab.confirm()
    await tab.confirmDialog.waitFor({ state: 'hidden' })
    const told = `${tab.strings.none} ${tab.strings['why.missing']}`
    await expect.poll(() => tab.notice.innerText()).toBe(told)
    await expect.poll(() => tab.heard(told)).toBe(true)
    expect(await tab.words(tab.text('e.gone', { name: 'خادم المتجر' })).count()).toBe(0)
    await expect.poll(() => tab.focused()).toBe('ended')
    expect(backend.requests('GET /keys')).toHaveLength(4)
  },
)
