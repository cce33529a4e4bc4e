import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { problem, ScriptedBackend } from '../support/settings-tab/backend.ts'
import { tabTests } from '../support/settings-tab/browser.ts'
import { ago, ahead, keyOf } from '../support/settings-tab/keys.ts'

const { open } = tabTests()
const zone = 'time-zone="Asia/Riyadh"'

const dialog = (page: Page, id: string) => page.locator(`dialog#${id}[open]`)

test('a new key expires at the end of the chosen day in the zone of the viewer', async () => {
  const { tab, page, backend } = await open({ attributes: zone })
  await tab.openCreate()
  await tab.fill()
  expect(await page.locator('#create-expiry').inputValue()).toBe('never')
  await page.locator('#create-expiry').selectOption('7')
  await tab.submit.click()
  await tab.banners.first().waitFor()
  // It is the 21st in Riyadh, three hours ahead of UTC.
  expect(backend.requests('POST /keys')[0]?.body).toMatchObject({
    expiresAt: '2026-11-28T20:59:59.999Z',
  })
})

test('only what the plan allows can be chosen, and a day that is too late is refused', async () => {
  const backend = Object.assign(new ScriptedBackend(), { maxLifetimeSeconds: 30 * 86_400 })
  const { tab, page } = await open({ lang: 'en', backend, attributes: zone })
  await tab.openCreate()
  await tab.fill()
  const options = await page.locator('#create-expiry option').allTextContents()
  expect(options).toEqual(['Longest your plan allows', 'In 7 days', 'On a date'])
  await page.locator('#create-expiry').selectOption('date')
  const day = tab.createDialog.getByLabel(tab.strings['expiry.day'])
  expect([await day.getAttribute('min'), await day.getAttribute('max')]).toEqual([
    '2026-11-21',
    '2026-12-20',
  ])
  await day.fill('2027-01-01')
  await tab.submit.click()
  await expect
    .poll(() => page.locator('#create-expiry-error').innerText())
    .toBe(tab.strings['v.expiry'])
  await expect.poll(() => tab.focused()).toBe('create-day')
  expect(await day.getAttribute('aria-invalid')).toBe('true')
  expect(await page.locator('#create-expiry').getAttribute('aria-invalid')).toBeNull()
  expect(backend.requests('POST')).toEqual([])
  await page.locator('#create-expiry').selectOption('plan')
  await tab.submit.click()
  await tab.banners.first().waitFor()
  expect(backend.requests('POST /keys')[0]?.body).not.toHaveProperty('expiresAt')
})

test('a day that is over in a minute is not offered, and the reason is the true one', async () => {
  const { tab, page, backend } = await open({ lang: 'en', attributes: zone })
  // Half a minute before midnight in Riyadh.
  await page.clock.setFixedTime(Date.parse('2026-11-21T20:59:30Z'))
  await tab.openCreate()
  await tab.fill()
  await page.locator('#create-expiry').selectOption('date')
  const day = page.locator('#create-day')
  expect(await day.getAttribute('min')).toBe('2026-11-22')
  await day.fill('2026-11-21')
  await tab.submit.click()
  const error = page.locator('#create-expiry-error')
  expect(await error.innerText()).toBe(tab.strings['v.day.past'])
  expect(backend.requests('POST')).toEqual([])
})

test('a rotation shows the name and the brand that the new key will have', async () => {
  const backend = new ScriptedBackend([
    // The family is one character to people, and goes as a whole.
    keyOf({ id: 'key_long', name: `${'a'.repeat(105)}👩‍👩‍👧‍👦bcdef`, prefix: 'acme_live_x1' }),
    // One that another system issued gets a replacement of the host's brand.
    keyOf({ id: 'key_old', name: 'Old', prefix: 'sk_live_1234', format: 'old' }),
  ])
  backend.brand = 'acme'
  const { tab } = await open({ lang: 'en', backend })
  const note = (name: string) => tab.confirmDialog.locator(`[data-note=new-${name}]`)
  await tab.ask('rotate', 'key_long')
  expect(await note('name').innerText()).toBe(`${'a'.repeat(105)} (rotated)`)
  expect(await note('prefix').innerText()).toBe('acme_live_…')
  await tab.page.keyboard.press('Escape')
  await tab.ask('rotate', 'key_old')
  expect(await note('name').innerText()).toBe('Old (rotated)')
  expect(await note('prefix').innerText()).toBe('acme_live_…')
})

test('a rotation can let the old key work on, and says until when', async () => {
  const { tab, page, backend } = await open({ lang: 'en', attributes: zone })
  await tab.ask('rotate', 'key_store')
  expect(await tab.confirmDialog.locator('[data-note=new-name]').innerText()).toBe(
    'خادم المتجر (rotated)',
  )
  // It was used a few minutes ago.
  expect(await tab.confirmDialog.locator('[name=overlap]:checked').inputValue()).toBe('86400')
  await tab.confirmDialog.getByLabel('Now').check()
  const end = tab.confirmDialog.locator('[data-note=end]')
  const now = 'The current key svc_live_a1b… stops working immediately, for good.'
  expect(await end.innerText()).toBe(now)
  await tab.confirmDialog.getByLabel('In 24 hours').check()
  const later = 'The current key svc_live_a1b… works until Nov 22, 4:05 PM, then stops for good.'
  await expect.poll(() => end.innerText()).toBe(later)
  await expect.poll(() => tab.heard(later)).toBe(true)
  await tab.confirm()
  await page.locator('section.rotated').waitFor()
  expect(backend.requests('POST')).toMatchObject([{ body: { overlapSeconds: 86_400 } }])
  expect(await page.locator('section.rotated').innerText()).toContain('works until Nov 22, 4:05 PM')
  const old = tab.row('key_store')
  expect(await old.innerText()).toContain('works until Nov 22, 4:05 PM')
  // The old one ends now.
  await old.locator('[part=stop-button]').click()
  expect(await tab.confirmDialog.locator('h2').innerText()).toBe('Stop key “خادم المتجر” now?')
  expect(await tab.confirmDialog.locator('[data-act=confirm]').innerText()).toBe('Stop now')
  await tab.confirm()
  await tab.unfold()
  await expect.poll(() => old.locator('[part~=status]').innerText()).toBe('Revoked')
  expect(await tab.banners.count()).toBe(1)
})

test('an overlap is offered as far as the plan allows it, and not for a paused key', async () => {
  const paused = keyOf({ id: 'key_p', status: 'paused' })
  const backend = new ScriptedBackend([keyOf({ id: 'key_a' }), paused])
  backend.maxOverlapSeconds = 3_600
  const { tab } = await open({ backend })
  const overlaps = tab.confirmDialog.locator('[name=overlap]')
  await tab.ask('rotate', 'key_a')
  expect(await overlaps.count()).toBe(2)
  const chosen = tab.confirmDialog.locator('[name=overlap]:checked')
  expect(await chosen.inputValue()).toBe('0')
  await tab.confirmDialog.locator('[part=secondary-button]').click()
  await tab.ask('rotate', 'key_p')
  expect(await overlaps.count()).toBe(0)
  const end = tab.text('rotate.end', { prefix: 'svc_live_a1b…' })
  expect(await tab.confirmDialog.locator('#rotation-end').innerText()).toContain(end)
})

test('a row says what is to come of its key', async () => {
  const backend = new ScriptedBackend([
    keyOf({ id: 'key_soon', expiresAt: ahead(5) }),
    keyOf({ id: 'key_later', expiresAt: ahead(20) }),
    keyOf({ id: 'key_gone', status: 'expired', expiresAt: ago.days(3) }),
    keyOf({ id: 'key_p', status: 'paused', pausedBy: { id: 'u_2', name: 'Omar' } }),
  ])
  const { tab } = await open({ lang: 'en', backend })
  await tab.unfold()
  const since = (id: string) => tab.row(id).locator('.due')
  expect(await since('key_soon').innerText()).toBe('expires in 5 days')
  expect(await since('key_soon').getAttribute('class')).toContain('soon')
  expect(await since('key_later').getAttribute('class')).not.toContain('soon')
  expect(await since('key_gone').innerText()).toBe('Nov 18, 2026')
  expect(await since('key_p').innerText()).toBe('paused by Omar')
  expect(await tab.row('key_gone').locator('[part=rotate-button]').count()).toBe(0)
})

test('the menu follows the pattern of a menu button', async () => {
  const { tab, page } = await open({ lang: 'en' })
  const button = tab.row('key_store').locator('[part=menu-button]')
  const focused = () =>
    tab.host.evaluate((element) => element.shadowRoot?.activeElement?.textContent?.trim())
  await button.focus()
  await page.keyboard.press('Enter')
  await expect.poll(focused).toBe('Details')
  expect(await button.getAttribute('aria-expanded')).toBe('true')
  await page.keyboard.press('ArrowUp')
  expect(await focused()).toBe('Pause')
  await page.keyboard.press('Home')
  await page.keyboard.press('ArrowDown')
  expect(await focused()).toBe('Edit')
  await page.keyboard.press('End')
  expect(await focused()).toBe('Pause')
  await page.keyboard.press('Escape')
  await expect.poll(() => tab.focused()).toBe('menu-button')
  await expect.poll(() => button.getAttribute('aria-expanded')).toBe('false')
  const menu = page.locator('.menu:popover-open')
  await button.click()
  await menu.waitFor()
  await page.locator('h1').click()
  await menu.waitFor({ state: 'detached' })
  await button.click()
  await menu.waitFor()
  await button.click()
  await menu.waitFor({ state: 'detached' })
})

test('what a menu offers follows the status of its key', async () => {
  const statuses = ['active', 'paused', 'retiring', 'expired', 'revoked'] as const
  const backend = new ScriptedBackend(
    statuses.map((status) => {
      const expiresAt = status === 'expired' ? ago.days(1) : null
      return keyOf({ id: `key_${status}`, status, expiresAt })
    }),
  )
  const { tab, page } = await open({ backend })
  await tab.unfold()
  const offered: Record<string, string> = {}
  for (const status of statuses) {
    await tab.row(`key_${status}`).locator('[part=menu-button]').click()
    const items = page.locator('[role=menuitem]')
    await items.first().waitFor()
    const words = await items.evaluateAll((all) =>
      all.map((one) => (one as HTMLElement).dataset['item']),
    )
    offered[status] = words.join(' ')
    await page.keyboard.press('Escape')
  }
  expect(offered).toEqual({
    active: 'details edit pause',
    paused: 'details edit resume',
    retiring: 'details',
    expired: 'details',
    revoked: 'details',
  })
})

test('an edit sends what has changed, for the version that was shown', async () => {
  const { tab, page, backend } = await open({ lang: 'en', attributes: zone })
  await tab.choose('key_store', 'edit')
  await expect.poll(() => tab.focused()).toBe('edit-name')
  await page.locator('#edit-name').fill('Warehouse')
  await page.locator('[data-scope="orders.write"]').uncheck()
  await page.locator('#edit-expiry').selectOption('30')
  await dialog(page, 'edit').locator('[data-act=submit]').click()
  await dialog(page, 'edit').waitFor({ state: 'detached' })
  expect(backend.requests('PATCH')).toMatchObject([
    {
      path: '/keys/key_store',
      headers: { 'if-match': '"1"' },
      body: {
        name: 'Warehouse',
        scopes: ['contacts.read', 'orders.read'],
        expiresAt: '2026-12-21T20:59:59.999Z',
      },
    },
  ])
  expect(await tab.row('key_store').locator('[part=name]').innerText()).toBe('Warehouse')
  await expect.poll(() => tab.focused()).toBe('key_store')
  await expect.poll(() => tab.heard('Key “Warehouse” saved.')).toBe(true)
  expect(await tab.events('api-key-updated')).toMatchObject([{ id: 'key_store' }])
  // Nothing changed, nothing asked.
  await tab.choose('key_store', 'edit')
  await dialog(page, 'edit').locator('[data-act=submit]').click()
  await dialog(page, 'edit').waitFor({ state: 'detached' })
  expect(backend.requests('PATCH')).toHaveLength(1)
})

test('an edit that someone else has overtaken begins anew with what the key is now', async () => {
  const { tab, page, backend } = await open({ lang: 'en' })
  await tab.choose('key_store', 'edit')
  await page.locator('#edit-name').fill('Mine')
  backend.changeElsewhere('key_store', { name: 'Theirs', scopes: ['leads.read'] })
  const save = dialog(page, 'edit').locator('[data-act=submit]')
  await save.click()
  const note = page.locator('[data-note=overtaken]')
  await expect.poll(() => note.innerText()).toContain('Someone else changed this key.')
  await save.click()
  expect(backend.requests('PATCH')).toHaveLength(1)
  await note.locator('[data-act=reload]').click()
  expect(await page.locator('#edit-name').inputValue()).toBe('Theirs')
  expect(await page.locator('[data-scope="leads.read"]').isChecked()).toBe(true)
  await page.locator('#edit-name').fill('Mine')
  await save.click()
  await dialog(page, 'edit').waitFor({ state: 'detached' })
  expect(backend.requests('PATCH')[1]).toMatchObject({
    headers: { 'if-match': '"2"' },
    body: { name: 'Mine' },
  })
})

test('an edit of a key that was revoked elsewhere ends with the fresh list', async () => {
  const { tab, page, backend } = await open({ lang: 'en' })
  await tab.choose('key_test', 'edit')
  await page.locator('#edit-name').fill('Mine')
  backend.revokeElsewhere('key_test')
  backend.next('PATCH', problem(409, 'key_revoked'))
  await dialog(page, 'edit').locator('[data-act=submit]').click()
  await dialog(page, 'edit').waitFor({ state: 'detached' })
  const gone = tab.text('e.gone', { name: 'CRM sync (staging)' })
  await expect.poll(() => tab.notice.innerText()).toContain(gone)
  await expect.poll(() => tab.focused()).toBe('ended')
  await tab.unfold()
  expect(await tab.status('key_test').innerText()).toBe('Revoked')
  expect(backend.requests('GET /keys')).toHaveLength(4)
})

test('a key is paused and resumed, and its row has the focus again', async () => {
  const { tab, page, backend } = await open({ lang: 'en' })
  await tab.choose('key_store', 'pause')
  expect(await tab.confirmDialog.innerText()).toContain('12 minutes ago')
  await tab.confirm()
  const status = tab.status('key_store')
  await expect.poll(() => status.innerText()).toBe('Paused')
  await expect.poll(() => tab.focused()).toBe('key_store')
  await tab.choose('key_store', 'resume')
  await tab.confirm()
  await expect.poll(() => status.innerText()).toBe('Active')
  expect(backend.requests('POST')).toMatchObject([
    { path: '/keys/key_store/pause' },
    { path: '/keys/key_store/resume' },
  ])
  expect(await tab.events('api-key-paused')).toHaveLength(1)
  expect(await tab.events('api-key-resumed')).toHaveLength(1)
  expect(await page.locator('[part=allowance-value]').innerText()).toBe('2 of 5 active keys')
})

test('who is about to revoke can pause instead', async () => {
  const { tab, backend } = await open({ lang: 'en' })
  await tab.ask('revoke', 'key_store')
  await tab.confirmDialog.locator('[data-act=instead]').click()
  await expect.poll(() => tab.status('key_store').innerText()).toBe('Paused')
  expect(backend.requests('POST')).toMatchObject([{ path: '/keys/key_store/pause' }])
})

test('revoking an expired key does not say that it stops working', async () => {
  const backend = new ScriptedBackend([
    keyOf({ id: 'key_e', name: 'E', status: 'expired', expiresAt: ago.days(3) }),
  ])
  const { tab } = await open({ backend })
  await tab.ask('revoke', 'key_e')
  const text = await tab.confirmDialog.locator('#confirm-body').innerText()
  const expired = tab.text('revoke.expired', { prefix: 'svc_live_a1b…' })
  expect(text.replace(/[\u2066-\u2069]/g, '')).toBe(expired)
})

test('the details name every moment in the life of a key, and those before and after it', async () => {
  const backend = new ScriptedBackend([
    keyOf({ id: 'key_b', name: 'B', replaces: 'key_a', expiresAt: ahead(40) }),
    keyOf({ id: 'key_a', name: 'A', status: 'retiring', retiresAt: ahead(1), replacedBy: 'key_b' }),
  ])
  const { tab, page } = await open({ lang: 'en', backend, attributes: zone })
  await tab.choose('key_a', 'details')
  const drawer = dialog(page, 'details')
  const shown = await drawer.innerText()
  for (const text of ['key_a', 'November 22, 2026 at 4:05 PM', '1,284,302', 'orders.write']) {
    expect(shown).toContain(text)
  }
  expect(shown).toContain('Works until\nNovember 22, 2026')
  expect(shown.split('Being replaced')).toHaveLength(2)
  await drawer.getByRole('button', { name: 'B', exact: true }).click()
  await expect.poll(() => drawer.innerText()).toContain('December 31, 2026')
  expect(await tab.focused()).toBe('details-title')
  await page.keyboard.press('Escape')
  await expect.poll(() => tab.focused()).toBe('menu-button')
})

test('the id is copied with its icon, and else selected', async () => {
  const { tab, page } = await open({ lang: 'en' })
  await tab.choose('key_store', 'details')
  const copy = page.locator('[data-act=copy-id]')
  await copy.click()
  await expect.poll(() => copy.getAttribute('aria-label')).toBe('Copied')
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('key_store')
  await page.evaluate(() => {
    navigator.clipboard.writeText = () => Promise.reject(new DOMException('', 'NotAllowedError'))
    document.execCommand = () => false
  })
  await copy.click()
  await expect.poll(() => tab.heard(tab.strings['copy.fail'])).toBe(true)
  expect(await page.evaluate(() => String(getSelection()))).toBe('key_store')
})
