import { expect, test } from 'vitest'
import { problem } from '../support/settings-tab/backend.ts'
import { tabTests } from '../support/settings-tab/browser.ts'

const { open } = tabTests()

test('an edit sends what has changed, for the version that was shown', async () => {
  const { tab, page, backend } = await open({ lang: 'en', attributes: 'time-zone="Asia/Riyadh"' })
  const dialog = page.locator('dialog#edit[open]')
  await tab.openFrom('key_store', 'edit')
  await expect.poll(() => tab.focused()).toBe('edit-name')
  await page.locator('#edit-name').fill('Warehouse')
  await page.locator('[data-scope="orders.write"]').uncheck()
  await page.locator('#edit-expiry').selectOption('30')
  await tab.submit.click()
  await dialog.waitFor({ state: 'detached' })
  const scopes = ['contacts.read', 'orders.read']
  expect(backend.requests('PATCH')).toMatchObject([
    {
      path: '/keys/key_store',
      headers: { 'if-match': '"1"' },
      body: { name: 'Warehouse', scopes, expiresAt: '2026-12-21T20:59:59.999Z' },
    },
  ])
  expect(await tab.row('key_store').locator('[part=name]').innerText()).toBe('Warehouse')
  await expect.poll(() => tab.focused()).toBe('key_store')
  await expect.poll(() => tab.heard('Key “Warehouse” saved.')).toBe(true)
  expect(await tab.events('api-key-updated')).toMatchObject([{ id: 'key_store' }])
  // Nothing changed, nothing asked.
  await tab.openFrom('key_store', 'edit')
  await tab.submit.click()
  await dialog.waitFor({ state: 'detached' })
  expect(backend.requests('PATCH')).toHaveLength(1)
})

test('an edit that someone else has overtaken begins anew with what the key is now', async () => {
  const { tab, page, backend } = await open({ lang: 'en' })
  await tab.openFrom('key_store', 'edit')
  await page.locator('#edit-name').fill('Mine')
  backend.changeElsewhere('key_store', { name: 'Theirs', scopes: ['leads.read'] })
  await tab.submit.click()
  const note = page.locator('[data-note=overtaken]')
  await expect.poll(() => note.innerText()).toContain('Someone else changed this key.')
  await tab.submit.click()
  expect(backend.requests('PATCH')).toHaveLength(1)
  await note.locator('[data-act=reload]').click()
  expect(await page.locator('#edit-name').inputValue()).toBe('Theirs')
  expect(await page.locator('[data-scope="leads.read"]').isChecked()).toBe(true)
  await page.locator('#edit-name').fill('Mine')
  await tab.submit.click()
  await page.locator('dialog#edit[open]').waitFor({ state: 'detached' })
  const sent = { headers: { 'if-match': '"2"' }, body: { name: 'Mine' } }
  expect(backend.requests('PATCH')[1]).toMatchObject(sent)
})

test('an edit of a key that was revoked elsewhere ends with the fresh list', async () => {
  const { tab, page, backend } = await open({ lang: 'en' })
  await tab.openFrom('key_test', 'edit')
  await page.locator('#edit-name').fill('Mine')
  backend.revokeElsewhere('key_test')
  backend.next('PATCH', problem(409, 'key_revoked'))
  await tab.submit.click()
  const gone = tab.text('e.gone', { name: 'CRM sync (staging)' })
  await expect.poll(() => tab.notice.innerText()).toContain(gone)
  expect(await page.locator('dialog#edit[open]').count()).toBe(0)
  await expect.poll(() => tab.focused()).toBe('ended')
  await tab.unfold()
  expect(await tab.status('key_test').innerText()).toBe('Revoked')
  expect(backend.requests('GET /keys')).toHaveLength(4)
})

test('a key is paused in place of a revocation, and resumed', async () => {
  const { tab, backend } = await open({ lang: 'en' })
  await tab.ask('revoke', 'key_store')
  await tab.confirmDialog.locator('[data-act=instead]').click()
  await expect.poll(() => tab.status('key_store').innerText()).toBe('Paused')
  expect(await tab.allowance.innerText()).toBe('2 of 5 active keys')
  await tab.choose('key_store', 'resume')
  await tab.confirm()
  await expect.poll(() => tab.events('api-key-resumed')).toHaveLength(1)
  expect(await tab.events('api-key-paused')).toHaveLength(1)
  const paths = backend.requests('POST').map(({ path }) => path)
  expect(paths).toEqual(['/keys/key_store/pause', '/keys/key_store/resume'])
})
