import { expect, test } from 'vitest'
import { tabTests } from '../support/settings-tab/browser.ts'
import { RealBackend } from '../support/settings-tab/real-backend.ts'

const { open } = tabTests()

test('the life of a key on the real routes, from its creation to its last refusal', async () => {
  const real = new RealBackend()
  const { keys } = real
  const { tab, page } = await open({ lang: 'en', real })
  const works = async (secret: string) =>
    (await keys.authenticate(`Bearer ${secret}`, 'contacts.read')).ok
  const newest = async () => (await keys.listKeys({ workspaceId: 'palm' })).keys[0]?.id ?? ''
  const status = (id: string) => expect.poll(() => tab.status(id).innerText())

  const secret = await tab.createKey()
  await tab.copyButton.click()
  await expect.poll(() => tab.clipboard()).toBe(secret)
  await tab.dismissButton.click()
  expect(await works(secret)).toBe(true)
  await keys.flush()
  await tab.refresh()
  const id = await newest()
  const row = tab.row(id)
  await expect.poll(() => row.locator('.uses').innerText()).toBe('1')
  expect(await row.locator('.c-last').innerText()).not.toBe(tab.strings.never)

  await tab.openFrom(id, 'edit')
  await keys.updateKey({
    ...{ workspaceId: 'palm', id, version: 1, actor: { id: 'u', name: 'Omar' } },
    change: { scopes: ['contacts.read', 'orders.read'] },
  })
  await page.locator('#edit-name').fill('Mine')
  await tab.submit.click()
  await page.locator('[data-note=overtaken] [data-act=reload]').click()
  await page.locator('#edit-name').fill('Edited here')
  await page.locator('#edit-expiry').selectOption('7')
  await tab.submit.click()
  for (const shown of ['Edited here', '2 permissions', 'expires in']) {
    await expect.poll(() => row.innerText()).toContain(shown)
  }

  await tab.choose(id, 'pause')
  await tab.confirm()
  await status(id).toBe('Paused')
  expect(await works(secret)).toBe(false)
  await tab.choose(id, 'resume')
  await tab.confirm()
  await status(id).toBe('Active')
  expect(await works(secret)).toBe(true)

  await tab.ask('rotate', id)
  await tab.confirmDialog.getByLabel('In 1 hour').check()
  await tab.confirm()
  await page.locator('section.rotated').waitFor()
  const next = (await tab.secret.textContent()) ?? ''
  expect([await works(secret), await works(next)]).toEqual([true, true])
  await tab.ask('stop', id)
  await tab.confirm()
  await tab.unfold()
  await status(id).toBe('Revoked')
  expect([await works(secret), await works(next)]).toEqual([false, true])

  const replacement = await newest()
  await tab.revoke(replacement)
  await status(replacement).toBe('Revoked')
  expect(await works(next)).toBe(false)
  expect(await page.content()).not.toContain(next)
})
